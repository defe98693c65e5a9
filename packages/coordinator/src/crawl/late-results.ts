import type { CrawlId, PageRecord } from '@webfarer/protocol';
import type { FolderFrontier } from '../folder/open-frontier.ts';
import type { Results } from '../results/results.ts';

/** Items and records that are read from the folder when iterated: the crawl itself is closed by then. */
export function lateResults(
  crawl: CrawlId,
  open: () => Promise<FolderFrontier>,
): { items: AsyncIterable<unknown>; records: AsyncIterable<PageRecord> } {
  const later = <T>(read: (results: Results) => AsyncIterable<T>): AsyncIterable<T> => ({
    async *[Symbol.asyncIterator]() {
      const reader = await open();
      try {
        yield* read(reader.results);
      } finally {
        await reader.close();
      }
    },
  });
  return {
    items: later((results) => itemsOf(results, crawl)),
    records: later((results) => results.records(crawl)),
  };
}

async function* itemsOf(results: Results, crawl: CrawlId): AsyncIterable<unknown> {
  for await (const { item } of results.items(crawl)) yield item;
}
