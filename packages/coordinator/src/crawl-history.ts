import { WebfarerError } from '@webfarer/protocol';
import type { CrawlHistory } from './api/call/crawl-history.ts';
import { frontierOf, type FrontierOfOptions } from './frontier-of.ts';

/** Reads what was recorded of the counts of crawls, beside those who work on them. */
export function createCrawlHistory(options: FrontierOfOptions): CrawlHistory {
  const { reading } = frontierOf(options);
  return {
    samples: (entry) =>
      orNothing(
        reading(entry, ({ history }) => history.samples(entry.id)),
        [],
      ),
    hosts: (entry) =>
      orNothing(
        reading(entry, ({ hostHistory }) => hostHistory.activity(entry.id)),
        { samples: [], hosts: [] },
      ),
  };
}

/** A crawl that has never run here has no history here. */
async function orNothing<T>(asked: Promise<T>, nothing: T): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof WebfarerError && error.code === 'not-found') return nothing;
    throw error;
  }
}
