import type { Clock, CrawlId } from '@webfarer/protocol';
import type { WorkerPool } from '../link/worker-pool.ts';

/** Leases of a crawl whose holders are connected and can still bring something. */
export interface AwaitedLeases {
  count(): number;
  /** Resolves when none is left, or it has waited long enough. */
  given(signal: AbortSignal): Promise<void>;
}

/** Workers finish what is in flight before a coordinator stops; one that takes longer keeps its report. */
const FINISH_PATIENCE_MS = 20_000;
const OWN_PATIENCE_MS = 1_000;
const LOOK_MS = 50;

export function createAwaitedLeases(
  crawl: CrawlId,
  pool: Pick<WorkerPool, 'leases' | 'all' | 'isInside'>,
  clock: Clock,
): AwaitedLeases {
  const count = () => pool.leases(crawl).awaited;

  return {
    count,
    async given(signal) {
      // A worker of this process has let go of the crawl: only a lease that was on its way to it may still come back.
      const isRemote = pool.all().some(({ worker }) => !pool.isInside(worker));
      const untilMs = clock.now() + (isRemote ? FINISH_PATIENCE_MS : OWN_PATIENCE_MS);
      while (count() > 0 && clock.now() < untilMs && !signal.aborted)
        await clock.sleep(LOOK_MS, signal).catch(() => undefined);
    },
  };
}
