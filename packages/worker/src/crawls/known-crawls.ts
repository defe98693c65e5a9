import type { CrawlId } from '@webfarer/protocol';
import { allOver } from '@webfarer/protocol/crawl';
import type { CrawlNews, LinkCrawl } from '@webfarer/protocol/link';
import type { LeftCrawls } from './worker-crawls.ts';

/** The crawls that a coordinator has told a worker of, as they were told last. */
export interface KnownCrawls {
  /** In place of all told before. */
  replace(crawls: readonly LinkCrawl[]): LeftCrawls;
  change(news: CrawlNews): LeftCrawls;
  list(): LinkCrawl[];
  ids(): CrawlId[];
  /** Every crawl of the coordinator is over, those that the worker was not told of included. */
  isOver(): boolean;
}

export function createKnownCrawls(): KnownCrawls {
  const known = new Map<CrawlId, LinkCrawl>();
  /** Undefined: it was told of all. */
  let saidOver: boolean | undefined;
  return {
    replace(crawls) {
      saidOver = undefined;
      known.clear();
      for (const crawl of crawls) known.set(crawl.id, crawl);
      return { gone: [], resting: [] };
    },
    change({ crawls, gone, resting, over }) {
      saidOver = over;
      for (const id of [...gone, ...resting]) known.delete(id);
      for (const crawl of crawls) known.set(crawl.id, crawl);
      return { gone, resting };
    },
    list: () => [...known.values()],
    ids: () => [...known.keys()],
    isOver: () => saidOver ?? allOver([...known.values()]),
  };
}
