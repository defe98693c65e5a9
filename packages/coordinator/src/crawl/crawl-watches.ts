import type { Clock, CrawlId, CrawlSnapshot, CrawlState, Pause } from '@webfarer/protocol';
import type { EventBus } from '../events/event-bus.ts';
import type { WorkerPool } from '../link/worker-pool.ts';
import type { JoinedStore } from '../store/join-store.ts';
import type { EndDecision } from './end-decision.ts';
import type { CrawlParts } from './crawl-parts.ts';
import type { LeaseGate } from './lease-gate.ts';
import { createPauseBoard, type PauseBoard } from './pause-board.ts';
import { createStallWatch, type StallWatch } from './watch/stall-watch.ts';
import { watchWorkers, type WorkerWatch } from './watch/worker-watch.ts';

export interface CrawlWatchesOptions {
  crawl: CrawlId;
  folder: string;
  clock: Clock;
  events: EventBus;
  pool: WorkerPool;
  gate: LeaseGate;
  shared: JoinedStore | undefined;
  network: CrawlParts['network'];
  minFreeBytes: () => number;
  snapshot: () => Promise<CrawlSnapshot>;
  /** It stalls, or moves again. */
  stallChanged: () => void;
  end: EndDecision;
}

/** What keeps a crawl from making progress: its store, its workers, their disks; and what is said about it. */
export interface CrawlWatches {
  readonly stall: StallWatch;
  readonly pauses: PauseBoard;
  /** Undefined where no workers come from other machines. */
  readonly workers: WorkerWatch | undefined;
  /** Listens no more. */
  close(): void;
}

const OVER: readonly CrawlState[] = ['finished', 'limited', 'stopped'];
/** Who may pause, for the board of pauses; workers have their ids. */
const STORE = 'store';
const RESULTS = 'results';
const WORKERS = 'workers';

export function watchCrawl(options: CrawlWatchesOptions): CrawlWatches {
  const { crawl, clock, events, pool, gate, shared, network, end } = options;
  const stall = createStallWatch({
    clock,
    snapshot: options.snapshot,
    changed(cause) {
      events.publish(
        cause ? { type: 'crawl-stalled', crawl, stall: cause } : { type: 'crawl-moving', crawl },
      );
      options.stallChanged();
    },
  });
  const pauses = createPauseBoard((pause) => {
    events.publish(pause ? { type: 'crawl-paused', crawl, pause } : { type: 'crawl-resumed', crawl });
    if (pause) stall.paused(pause);
  });
  const whileRunning = (source: string) => (pause: Pause | undefined) => {
    if (!end.over.aborted) pauses.set(source, pause);
  };
  shared?.watch.onChange(whileRunning(STORE));
  shared?.frontier.onBacklog(whileRunning(RESULTS));
  const listening = [
    pool.onChange((change) => {
      if (change.type === 'pause') pauses.set(change.worker, change.pause);
    }),
    events.listen(['crawl-state'], (event) => {
      if (event.crawl !== crawl) return;
      pool.announce();
      // Workers that found nothing to do while it was paused do not ask again by themselves for a while.
      if (event.state === 'running') pool.wake();
      if (OVER.includes(event.state)) end.as(event.state);
    }),
  ];
  const workers =
    network &&
    watchWorkers({
      ...network,
      pool,
      clock,
      folder: options.folder,
      shared: shared !== undefined,
      minFreeBytes: options.minFreeBytes,
      changed: (pause) => pauses.set(WORKERS, pause),
      rest: () => void gate.close(WORKERS),
      start: () => void gate.open(WORKERS),
    });
  return {
    stall,
    pauses,
    workers,
    close() {
      for (const stop of listening) stop();
    },
  };
}
