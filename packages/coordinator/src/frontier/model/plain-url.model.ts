import type {
  Balance,
  CrawlId,
  CrawlState,
  DroppedReason,
  Entry,
  FailedReason,
  HostKey,
  Offer,
  OutcomeReason,
  PageRecord,
  Settlement,
  SiteKey,
  Url,
  WaitReason,
} from '@webfarer/protocol';
import { siteOf } from '@webfarer/protocol/url';
import type { CrawlTotals, FrontierCrawl } from '../frontier.ts';
import type { RecordFilter } from '../../results/results.ts';

/** Whether this comes after what is newer; otherwise it is the newest from now on. */
export function isLate(crawl: ModelCrawl, what: 'wish' | 'edit', number: number | undefined): boolean {
  if (number !== undefined && number < crawl[what]) return true;
  crawl[what] = number ?? crawl[what];
  return false;
}

export interface ModelCrawl {
  /** The last wish, and the last version of the settings, that were heard of. */
  wish: number;
  edit: number;
  settings: FrontierCrawl;
  state: CrawlState;
  /** The ceiling at which it ended; undefined where it did not, or was called limited for another reason. */
  limitedBy?: 'pages' | 'bytes' | undefined;
  /** For how long it has run: in all, when that was last told, and by the process that told it. */
  ran?: { sumMs: number; atMs: number; ownMs: number; process: number };
  seeded: boolean;
  dropped: Partial<Record<DroppedReason, number>>;
  /** Patterns of hosts that it has forgotten. */
  forgotten: string[];
}

export interface ModelHold {
  crawl: CrawlId;
  fence: number;
  deadline: number;
  heldUntil: number;
  over: boolean;
  /** Its worker has said that it fetches the entry in hand. */
  begun: boolean;
}

export interface ModelHost {
  notBefore: number;
  lastEnd: number | undefined;
  why: WaitReason;
  hold?: ModelHold;
}

export interface ModelPair {
  troubles: number;
  dead: FailedReason | undefined;
  ready: number;
  turn: number;
}

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
  /** An offer asked for more since it was leased: its outcome sends it back to the queue. */
  again: boolean;
  record?: PageRecord;
  /** When it was settled, as a count; for the order of a retry. */
  settledAs?: number;
  items: number;
  /** Where its links lead. */
  edges: Url[];
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

/** Sitemaps come first, whatever the offer says. */
export function plainBand(offer: Offer): Offer {
  if (offer.kind !== 'sitemap') return offer;
  const { band: _none, ...rest } = offer;
  return rest;
}

/** What an offer asks for: a requisite or a check, a page, a page with a label or a request. Sitemaps are asked for as such. */
export function rankOf({ kind, label, request }: Offer): number {
  if (kind === 'sitemap') return 2;
  if (kind !== 'page') return 0;
  return label === undefined && request === undefined ? 1 : 2;
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
    ...(offer.request === undefined ? {} : { request: offer.request }),
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

export function edgesOf({ edges }: Extract<Settlement, { kind: 'outcome' }>): Url[] {
  if ('packed' in edges) throw new Error('the model is told plain links');
  return edges.map(({ to }) => to);
}

/** Whether a host is one that these patterns mean: by its name, or for `*.` with all below it. */
export function isForgotten(patterns: readonly string[], host: HostKey): boolean {
  return patterns.some((pattern) => {
    const name = pattern.replace(/^\*\./, '');
    return host === name || (name !== pattern && host.endsWith(`.${name}`));
  });
}

export function balanceOf(urls: ModelUrl[]): Balance {
  const settled = (verdict: string) => urls.filter((url) => url.record?.verdict === verdict).length;
  return {
    known: urls.length,
    queued: urls.filter((url) => url.state === 'queued').length,
    leased: urls.filter((url) => url.state === 'leased').length,
    done: settled('done'),
    failed: settled('failed'),
    refused: settled('refused'),
  };
}

/** What the known URLs of a crawl add up to. */
export function totalsOf(urls: ModelUrl[]): Omit<CrawlTotals, 'state' | 'dropped'> {
  const byReason: Partial<Record<OutcomeReason, number>> = {};
  const byStatus: Record<string, number> = {};
  for (const { record } of urls) {
    if (!record) continue;
    byReason[record.reason] = (byReason[record.reason] ?? 0) + 1;
    if (record.verdict === 'done' && record.status)
      byStatus[record.status] = (byStatus[record.status] ?? 0) + 1;
  }
  return {
    bytes: urls.reduce((sum, url) => sum + (url.record?.bytes ?? 0), 0),
    items: urls.reduce((sum, url) => sum + url.items, 0),
    edges: urls.reduce((sum, url) => sum + url.edges.length, 0),
    hosts: new Set(urls.map((url) => url.host)).size,
    hostsQueued: new Set(urls.filter((url) => url.state === 'queued').map((url) => url.host)).size,
    byReason,
    byStatus,
  };
}
