import { createHash } from 'node:crypto';
import { type Entry, type HostKey, type PageRecord, type SiteKey, WebfarerError } from '@webfarer/protocol';
import { doneReasons, failedReasons, refusedReasons } from '@webfarer/protocol/crawl';
import type { UrlFilter, UrlState } from './frontier.ts';
import type { RecordFilter } from '../results/results.ts';

/** Where a URL is searched: each URL is in one of these at a time, and moves through them in this order. */
export const urlParts = ['queued', 'leased', 'settled'] as const;
export type UrlPart = (typeof urlParts)[number];

/** The parts in which a match can be. */
export function partsFor({ state, reason, status }: UrlFilter): readonly UrlPart[] {
  const isOutcome = reason !== undefined || status !== undefined;
  if (state === undefined) return isOutcome ? ['settled'] : urlParts;
  if (state === 'queued' || state === 'leased') return isOutcome ? [] : [state];
  return reason !== undefined && verdictOf(reason) !== state ? [] : ['settled'];
}

/** The same filter for outcomes: a state that is a verdict, or none. */
export function recordFilterOf({ state, ...filter }: UrlFilter): RecordFilter {
  return isVerdict(state) ? { ...filter, verdict: state } : filter;
}

function isVerdict(state: UrlState | undefined): state is PageRecord['verdict'] {
  return state === 'done' || state === 'failed' || state === 'refused';
}

export function verdictOf(reason: string): PageRecord['verdict'] {
  if (reason in doneReasons) return 'done';
  return reason in failedReasons || !(reason in refusedReasons) ? 'failed' : 'refused';
}

/** The host that a filter confines the search to; undefined: any. A prefix that goes beyond the host names it. */
export function hostIn({ host, prefix }: Pick<RecordFilter, 'host' | 'prefix'>): HostKey | undefined {
  return host ?? (/^https?:\/\/(\[[^\]]*\]|[^/:?#]+)[/:?#]/.exec(prefix ?? '')?.[1] as HostKey | undefined);
}

/** What of a filter can be said of any known URL. */
export function matchesPlace(
  { url, depth }: Pick<Entry, 'url' | 'depth'>,
  filter: RecordFilter,
  { host, siteOf }: { host: HostKey; siteOf: (host: HostKey) => SiteKey },
): boolean {
  if (filter.host !== undefined && host !== filter.host) return false;
  if (filter.site !== undefined && siteOf(host) !== filter.site) return false;
  if (filter.depth !== undefined && depth !== filter.depth) return false;
  return filter.prefix === undefined || url.startsWith(filter.prefix);
}

/** What of a filter can be said of an outcome alone. */
export function matchesOutcome(
  record: Pick<PageRecord, 'verdict' | 'reason' | 'status'>,
  { verdict, reason, status }: RecordFilter,
): boolean {
  if (verdict !== undefined && record.verdict !== verdict) return false;
  if (reason !== undefined && record.reason !== reason) return false;
  if (status === undefined) return true;
  const seen = String(record.status ?? '');
  const whole = /^([1-9])xx$/i.exec(status);
  return whole ? seen.startsWith(whole[1] as string) : /^\d{3}$/.test(status) && seen === status;
}

type Placed = readonly (string | number)[];
const version = 1;

/** A place of a search as text. The history tells the crawl from another one of the same name. */
export function encodePlace(history: string, place: Placed): string {
  return Buffer.from(JSON.stringify([version, digest(history), ...place])).toString('base64url');
}

/** What `encodePlace` was given; undefined for the start. Throws where the text is not a place of this crawl. */
export function decodePlace(text: string, history: string): Placed | undefined {
  if (text === '') return undefined;
  const [given, crawl, ...place] = parsed(text);
  if (given !== version || !place.every((value) => typeof value === 'string' || Number.isSafeInteger(value)))
    throw malformed();
  if (crawl !== digest(history))
    throw new WebfarerError('cursor-stale', 'this cursor was made for another crawl, or one deleted since', {
      next: 'Search again from the start, without a cursor.',
    });
  return place as Placed;
}

function parsed(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (Array.isArray(value)) return value;
  } catch {
    // Refused below.
  }
  throw malformed();
}

export function malformed(): WebfarerError {
  return new WebfarerError('usage', 'this is not a cursor of a URL search', {
    next: 'Pass `next` exactly as the page before gave it, or nothing to search from the start.',
  });
}

function digest(history: string): string {
  return createHash('sha256').update(history).digest('base64url').slice(0, 8);
}
