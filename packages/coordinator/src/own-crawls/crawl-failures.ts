import { type Clock, WebfarerError } from '@webfarer/protocol';
import type { EventBus } from '../events/event-bus.ts';
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

export function createCrawlFailures(clock: Clock, events: Pick<EventBus, 'publish'>): CrawlFailures {
  const failures = new Map<string, CrawlFailure>();
  return {
    add({ id: crawl, name, nonce }, error) {
      const { code, message } =
        error instanceof WebfarerError ? error : { code: 'internal' as const, message: String(error) };
      const isNews = failures.get(nonce)?.message !== message;
      failures.set(nonce, { code, message, atMs: Math.round(clock.now()) });
      if (isNews) events.publish({ type: 'crawl-failed', crawl, name, code, message });
    },
    of: (nonce) => failures.get(nonce),
    clear: (nonce) => void failures.delete(nonce),
  };
}
