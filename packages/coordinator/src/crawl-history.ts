import { WebfarerError } from '@webfarer/protocol';
import type { CrawlHistory } from './api/call/crawl-history.ts';
import { frontierOf, type FrontierOfOptions } from './frontier-of.ts';

/** Reads what was recorded of the counts of crawls, beside those who work on them. */
export function createCrawlHistory(options: FrontierOfOptions): CrawlHistory {
  const { reading } = frontierOf(options);
  return {
    async samples(entry) {
      try {
        return await reading(entry, ({ history }) => history.samples(entry.id));
      } catch (error) {
        // A crawl that has never run here has no history here.
        if (error instanceof WebfarerError && error.code === 'not-found') return [];
        throw error;
      }
    },
  };
}
