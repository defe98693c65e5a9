import type { CrawlId, WorkerLook } from '@webfarer/protocol';

/** What was saved of a crawl. */
export interface Written {
  files: number;
  bytes: number;
}

/** What was saved of crawls that are closed: it is told as long as a coordinator may have more of them. */
export interface ClosedCrawls {
  keep(crawl: CrawlId, sum: Written): void;
  /** More of them may come, though the coordinator does not name them. */
  rest(crawls: Iterable<CrawlId>): void;
  isResting(crawl: CrawlId): boolean;
  /** They are named again. */
  wake(crawls: Iterable<CrawlId>): void;
  forget(crawl: CrawlId): void;
  /** Of these, and of those that are open. */
  written(open: Iterable<[CrawlId, Written]>): WorkerLook['written'];
}

export function createClosedCrawls(): ClosedCrawls {
  const sums = new Map<CrawlId, Written>();
  const resting = new Set<CrawlId>();
  return {
    keep: (crawl, sum) => void sums.set(crawl, sum),
    rest(crawls) {
      for (const crawl of crawls) resting.add(crawl);
    },
    isResting: (crawl) => resting.has(crawl),
    wake(crawls) {
      for (const crawl of crawls) resting.delete(crawl);
    },
    forget(crawl) {
      sums.delete(crawl);
      resting.delete(crawl);
    },
    written(open) {
      const now = new Map(open);
      const closed = [...sums].filter(([crawl]) => !now.has(crawl));
      return [
        ...closed.map(([crawl, sum]) => ({ crawl, ...sum, open: false })),
        ...Array.from(now, ([crawl, sum]) => ({ crawl, ...sum, open: true })),
      ];
    },
  };
}
