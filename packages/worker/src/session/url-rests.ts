import type { Clock, CrawlId, Entry, FailedReason } from '@webfarer/protocol';
import { isSilence } from '../page/verdict.ts';

/** Longest wait after a failure, however many there were: a host rests for the crawls of all teams. */
const longestMs = 3_600_000;
const URLS_KEPT = 10_000;
/** What one page alone can cause and time may heal. */
const resting = (reason: FailedReason): boolean => reason === 'http-5xx' || isSilence(reason);

/** When each URL that failed may be tried again. The success of other pages on its host changes nothing about it. */
export interface UrlRests {
  failed(failure: Failure): void;
  /** 0 for a URL that does not back off. */
  dueMs(crawl: CrawlId, entry: Entry): number;
  /** Why the first of these to be due backs off, for the report on its host. */
  whyOf(crawl: CrawlId, entries: readonly Entry[]): { reason: FailedReason; detail: string } | undefined;
}

interface Failure {
  crawl: CrawlId;
  /** As it was leased: with the tries before this one. */
  entry: Entry;
  reason: FailedReason;
  backoffMs: number;
}

/** The first wait, doubled with each further try. */
export function backOffMs(firstMs: number, doublings: number): number {
  return Math.min(longestMs, firstMs * 2 ** doublings);
}

export function createUrlRests(clock: Clock): UrlRests {
  const rests = new Map<string, { dueMs: number; reason: FailedReason }>();
  const keyOf = (crawl: CrawlId, { url }: Entry) => `${crawl} ${url}`;
  // A URL without a failed try was put back by hand: it need not wait.
  const restOf = (crawl: CrawlId, entry: Entry) =>
    entry.attempt > 0 ? rests.get(keyOf(crawl, entry)) : undefined;
  const dueMs = (crawl: CrawlId, entry: Entry) => restOf(crawl, entry)?.dueMs ?? 0;
  return {
    dueMs,
    failed({ crawl, entry, reason, backoffMs }) {
      if (!resting(reason)) return;
      const key = keyOf(crawl, entry);
      rests.delete(key);
      rests.set(key, { dueMs: clock.now() + backOffMs(backoffMs, entry.attempt), reason });
      const [oldest] = rests.keys();
      if (rests.size > URLS_KEPT && oldest !== undefined) rests.delete(oldest);
    },
    whyOf(crawl, entries) {
      const [first] = entries.toSorted((a, b) => dueMs(crawl, a) - dueMs(crawl, b));
      const rest = first && restOf(crawl, first);
      return first && rest && { reason: rest.reason, detail: `${rest.reason}: ${first.url}` };
    },
  };
}
