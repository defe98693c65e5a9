import type { Clock, CrawlSnapshot } from '@webfarer/protocol';
import type { CrawlPace } from './crawl-pace.ts';
import type { WorkerWatch } from './worker-watch.ts';

export interface CalmSnapshotOptions {
  pace: Pick<CrawlPace, 'kept'>;
  clock: Pick<Clock, 'now'>;
  /** How long the crawl has run until now. */
  progress: { elapsedMs(): number };
  /** Looked at each time, because that costs no question to the store, and may outdate the last snapshot. */
  watches: { readonly workers: Pick<WorkerWatch, 'look'> | undefined };
}

/** Snapshots that cost the store nothing while the crawl rests: the last one, with its times as of now. */
export function calmSnapshots(
  snapshot: () => Promise<CrawlSnapshot>,
  { pace, clock, progress, watches }: CalmSnapshotOptions,
): () => Promise<CrawlSnapshot> {
  const kept = pace.kept(async () => {
    const atMs = clock.now();
    return { atMs, taken: await snapshot() };
  });
  return async () => {
    watches.workers?.look();
    const { atMs, taken } = await kept();
    return { ...later(taken, clock.now() - atMs), elapsedMs: Math.round(progress.elapsedMs()) };
  };
}

function later(taken: CrawlSnapshot, byMs: number): CrawlSnapshot {
  const { waiting, stall, leftMs, leftToMs } = taken;
  const left = (ms: number) => Math.max(0, ms - byMs);
  return {
    ...taken,
    waiting: waiting.map((wait) => ({ ...wait, dueInMs: left(wait.dueInMs) })),
    ...(stall?.retryInMs === undefined ? {} : { stall: { ...stall, retryInMs: left(stall.retryInMs) } }),
    ...(leftMs === undefined ? {} : { leftMs: left(leftMs) }),
    ...(leftToMs === undefined ? {} : { leftToMs: left(leftToMs) }),
  };
}
