import type { Clock } from '@webfarer/protocol';
import type { ResourceFrame } from '@webfarer/protocol/resources';
import type { CrawlRouter } from '../link/crawl-router.ts';
import type { WorkerPool } from '../link/worker-pool.ts';

/** Hosts in the queues are counted in the store, which has better things to do. */
const COUNT_EVERY_MS = 5_000;

/** What a coordinator does, beside what its machine shows: the work of its own process, and what waits. */
export function ownUse(
  parts: () => { router: CrawlRouter; pool: WorkerPool } | undefined,
  clock: Clock,
): () => Pick<ResourceFrame, 'downloads' | 'queues'> {
  let ready: number | undefined;
  let countedAtMs = Number.NEGATIVE_INFINITY;

  function count(): void {
    if (clock.now() < countedAtMs + COUNT_EVERY_MS) return;
    countedAtMs = clock.now();
    parts()
      ?.router.hostsQueued()
      .then(
        (hosts) => {
          ready = hosts;
        },
        // A store that does not answer says nothing about its queues.
        () => {
          ready = undefined;
        },
      );
  }

  return () => {
    count();
    const pool = parts()?.pool;
    const downloads = { now: 0, most: 0 };
    for (const { worker, look, connections } of pool?.all() ?? []) {
      if (!pool?.isInside(worker)) continue;
      downloads.now += look?.inFlight ?? 0;
      downloads.most += connections;
    }
    const held = pool?.load().hosts ?? 0;
    return { downloads, queues: { held, ...(ready === undefined ? {} : { ready }) } };
  };
}
