import { type DatedClock, type ErrorCode, errorCodes, WebfarerError } from '@webfarer/protocol';
import type { EventBus } from '../events/event-bus.ts';
import { asDiskTrouble } from '../folder/disk-trouble.ts';
import type { KnownCrawl } from './crawl-deleter.ts';
import type { CrawlFailure } from './crawl-listing.ts';

/** Why crawls that should be open here are not. */
export interface CrawlFailures {
  /** Reports each reason once. */
  add(crawl: KnownCrawl, error: unknown): void;
  of(nonce: string): CrawlFailure | undefined;
  /** The crawl is open, or nobody wants it any more. */
  clear(nonce: string): void;
}

export function createCrawlFailures(clock: DatedClock, events: Pick<EventBus, 'publish'>): CrawlFailures {
  const failures = new Map<string, CrawlFailure>();
  return {
    add({ id: crawl, name, nonce }, thrown) {
      const error = asDiskTrouble(thrown);
      const known = error instanceof WebfarerError ? error : undefined;
      const { code, message } = known ?? { code: 'internal' as const, message: String(error) };
      const next = known?.next ?? usualNext(code);
      const isNews = failures.get(nonce)?.message !== message;
      failures.set(nonce, { code, message, next, atMs: Math.round(clock.wall()) });
      if (isNews) events.publish({ type: 'crawl-failed', crawl, name, code, message, next });
    },
    of: (nonce) => failures.get(nonce),
    clear: (nonce) => void failures.delete(nonce),
  };
}

/** What to do where the error itself does not say. */
function usualNext(code: ErrorCode): string {
  if (code === 'job-invalid') return 'Correct the job: docs/job-file.md lists every setting.';
  return errorCodes[code].retryable || code === 'internal'
    ? 'The coordinator tries again by itself. If that does not help, fix what the message names, or delete the crawl.'
    : 'Fix what the message names, then resume the crawl, or delete it.';
}
