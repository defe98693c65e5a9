import type { CrawlId, Entry, HostKey, Offer, PageRecord, SiteKey, Url } from '@webfarer/protocol';
import { siteOf } from '@webfarer/protocol';
import type { RecordFilter } from './frontier.ts';

/** A known URL, wherever it is in its life. */
export interface ModelUrl {
  crawl: CrawlId;
  host: HostKey;
  offer: Offer;
  referrer: Url | undefined;
  attempt: number;
  deaths: number;
  state: 'queued' | 'leased' | 'settled';
  /** Where it stands among the URLs of its host and class. */
  place: number;
  /** Where it stands in its lease. */
  nth: number;
  record?: PageRecord;
  /** When it was settled, as a count; for the order of a retry. */
  settledAs?: number;
  items: number;
  edges: number;
}

const sites = new Map<HostKey, SiteKey>();

/** Looked up once: the list of suffixes is long. */
export function siteNamed(host: HostKey): SiteKey {
  const site = sites.get(host) ?? siteOf(host);
  sites.set(host, site);
  return site;
}

export function entryOf({ offer, attempt, deaths, referrer }: ModelUrl): Entry {
  const entry = { ...offer, attempt, ...(deaths > 0 ? { deaths } : {}) };
  return { ...entry, ...(referrer === undefined ? {} : { referrer }) };
}

export function unfetched(
  url: ModelUrl,
  reason: 'host-dead' | 'host-budget' | 'site-budget' | 'poison',
  now: number,
): PageRecord {
  const { offer, referrer, attempt } = url;
  return {
    url: offer.url,
    kind: offer.kind,
    depth: offer.depth,
    ...(offer.label === undefined ? {} : { label: offer.label }),
    ...(referrer === undefined ? {} : { referrer }),
    verdict: reason === 'host-dead' || reason === 'poison' ? 'failed' : 'refused',
    reason,
    attempts: attempt,
    bytes: 0,
    startedAtMs: now,
    durationMs: 0,
    links: 0,
    items: 0,
  };
}

export function matches({ record, host }: ModelUrl, filter: RecordFilter): boolean {
  if (filter.verdict && record?.verdict !== filter.verdict) return false;
  if (filter.reason && record?.reason !== filter.reason) return false;
  if (filter.host && host !== filter.host) return false;
  if (!filter.status) return true;
  const status = String(record?.status ?? '');
  return filter.status.endsWith('xx') ? status[0] === filter.status[0] : status === filter.status;
}
