import { type CrawlId, WebfarerError } from '@webfarer/protocol';
import type { CalmReads } from '../frontier/calm-reads.ts';
import type { CrawlPace } from './watch/crawl-pace.ts';

/** Sums of a crawl that those ask for who share out workers, or count what a team uses. */
export interface CrawlSums {
  /** Hosts that have something queued. */
  hostsQueued(): Promise<number>;
  /** Pages and bytes fetched so far, by all coordinators of its store. */
  used(): Promise<{ pages: number; bytes: number }>;
}

export function crawlSums(
  crawl: CrawlId,
  reads: Pick<CalmReads, 'balance' | 'totals'>,
  pace: Pick<CrawlPace, 'kept'>,
): CrawlSums {
  return {
    /** None where it was deleted: others that share out workers need not fail over it. */
    hostsQueued: pace.kept(() =>
      reads.totals(crawl).then(
        (totals) => totals.hostsQueued,
        (error: unknown) => {
          if (error instanceof WebfarerError && error.code === 'not-found') return 0;
          throw error;
        },
      ),
    ),
    used: pace.kept(async () => {
      const [{ done }, { bytes }] = await Promise.all([reads.balance(crawl), reads.totals(crawl)]);
      return { pages: done, bytes };
    }),
  };
}
