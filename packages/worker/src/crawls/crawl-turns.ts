import type { CrawlId } from '@webfarer/protocol';

/** Work on crawls: in order for each of them, and at once for several. */
export interface CrawlTurns {
  take(crawl: CrawlId, work: () => Promise<void>): Promise<void>;
  /** The same for work after which what is open now is not open any more. */
  leave(crawl: CrawlId, work: () => Promise<void>): Promise<void>;
  isLeaving(crawl: CrawlId): boolean;
  /** Those with work that is not done. */
  busy(): Iterable<CrawlId>;
}

export function createCrawlTurns(): CrawlTurns {
  const last = new Map<CrawlId, Promise<void>>();
  /** How much is to be done before they are gone. */
  const leaving = new Map<CrawlId, number>();

  function take(crawl: CrawlId, work: () => Promise<void>): Promise<void> {
    const mine = (last.get(crawl) ?? Promise.resolve()).catch(() => undefined).then(work);
    last.set(crawl, mine);
    const over = () => {
      if (last.get(crawl) === mine) last.delete(crawl);
    };
    mine.then(over, over);
    return mine;
  }

  return {
    take,
    leave(crawl, work) {
      leaving.set(crawl, (leaving.get(crawl) ?? 0) + 1);
      return take(crawl, work).finally(() => {
        const left = (leaving.get(crawl) ?? 1) - 1;
        if (left > 0) leaving.set(crawl, left);
        else leaving.delete(crawl);
      });
    },
    isLeaving: (crawl) => leaving.has(crawl),
    busy: () => last.keys(),
  };
}
