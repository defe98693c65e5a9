import type { Clock, CrawlId, CrawlSnapshot, CrawlState, Hands, Pause, Stall } from '@webfarer/protocol';
import type { EventBus } from '../events/event-bus.ts';
import { createFlapNews } from '../events/flap-news.ts';
import type { ManifestFile } from '../folder/manifest.ts';
import type { WorkerPool } from '../link/worker-pool.ts';
import type { JoinedStore } from '../store/join-store.ts';
import type { EndDecision } from './end-decision.ts';
import type { CrawlParts } from './crawl-parts.ts';
import type { LeaseGate } from './lease-gate.ts';
import type { CrawlPace } from './watch/crawl-pace.ts';
import { createPauseBoard, type PauseBoard } from './pause-board.ts';
import { createStallWatch, type StallWatch } from './watch/stall-watch.ts';
import { watchWorkers, type WorkerWatch } from './watch/worker-watch.ts';

export interface CrawlWatchesOptions {
  crawl: CrawlId;
  file: Pick<ManifestFile, 'folder'>;
  clock: Clock;
  events: EventBus;
  pool: WorkerPool;
  gate: LeaseGate;
  pace: CrawlPace;
  shared: JoinedStore | undefined;
  network: CrawlParts['network'];
  minFreeBytes: () => number;
  snapshot: () => Promise<CrawlSnapshot>;
  /** It stalls, or moves again. */
  stallChanged: () => void;
  /** It has paused, or resumed, without anybody's wish. */
  hold: (isHeld: boolean) => void;
  end: EndDecision;
}

/** What keeps a crawl from making progress: its store, its workers, their disks; and what is said about it. */
export interface CrawlWatches {
  readonly stall: StallWatch;
  readonly pauses: PauseBoard;
  /** Undefined where no workers come from other machines. */
  readonly workers: WorkerWatch | undefined;
  /** Looks whether something keeps the crawl from being worked on. */
  look(): void;
  /** Listens no more. */
  close(): void;
}

/** Pause between two looks while the crawl rests. */
const REST_MS = 600_000;
const OVER: readonly CrawlState[] = ['finished', 'limited', 'stopped'];
/** Who may pause, for the board of pauses; workers have their ids. */
const STORE = 'store';
const RESULTS = 'results';
const WORKERS = 'workers';

export function watchCrawl(options: CrawlWatchesOptions): CrawlWatches {
  const { crawl, clock, events, pool, gate, pace, shared, network, end } = options;
  const stall = createStallWatch({
    clock: pace.clock({ resting: REST_MS }),
    snapshot: options.snapshot,
    changed(cause) {
      stallNews.changed(cause);
      options.stallChanged();
    },
  });
  const stallNews = createFlapNews<Stall>({
    clock,
    causeOf: (cause) => cause.cause,
    began: (cause, times) => void events.publish({ type: 'crawl-stalled', crawl, stall: cause, times }),
    ended: () => void events.publish({ type: 'crawl-moving', crawl }),
  });
  const look = () => options.hold(pauses.pause !== undefined || areAllPaused(pool.look(crawl).hands));
  const pauseNews = createFlapNews<Pause>({
    clock,
    causeOf: (pause) => pause.cause,
    began: (pause, times) => void events.publish({ type: 'crawl-paused', crawl, pause, times }),
    ended: () => void events.publish({ type: 'crawl-resumed', crawl }),
  });
  const pauses = createPauseBoard((pause) => {
    pace.outdate();
    look();
    pauseNews.changed(pause);
    if (pause) stall.paused(pause);
  });
  const whileRunning = (source: string) => (pause: Pause | undefined) => {
    if (!end.over.aborted) pauses.set(source, pause);
  };
  // A crawl that is over is not held in memory by the store that it was in.
  const listening = [
    ...(shared
      ? [
          shared.watch.onChange(whileRunning(STORE)),
          shared.frontier.onBacklog(whileRunning(RESULTS)),
          shared.frontier.onChange(crawl, pace.stir),
        ]
      : []),
    pool.onChange((change) => {
      if (change.type === 'pause') pauses.set(change.worker, change.pause);
    }),
    events.listen(['crawl-state'], (event) => {
      if (event.crawl !== crawl) return;
      pace.stir();
      pool.announce(crawl);
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
      clock: pace.clock({ resting: REST_MS }),
      steadyClock: clock,
      folder: options.file.folder,
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
    look,
    close() {
      stallNews.close();
      pauseNews.close();
      for (const stop of listening) stop();
    },
  };
}

/** Workers on other machines, each without room or network. */
function areAllPaused({ workers, pauses }: Hands): boolean {
  return workers > 0 && pauses.length >= workers;
}
