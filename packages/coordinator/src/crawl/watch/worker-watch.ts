import type { Clock, Pause } from '@webfarer/protocol';
import type { WorkerPool } from '../../link/worker-pool.ts';
import { createDiskWatch } from './disk-watch.ts';

export interface WorkerWatchOptions {
  pool: Pick<WorkerPool, 'all' | 'onChange' | 'wake'>;
  /** Sleeps longer while the crawl rests. */
  clock: Clock;
  /** Never does. */
  steadyClock: Clock;
  folder: string;
  minFreeBytes: () => number;
  /** The crawl is kept in a store, whose workers may take turns. */
  shared: boolean;
  /** A worker is still connecting, so an empty list is not yet worth reporting. */
  expectsWorker: boolean;
  /** Whether workers of other coordinators work on the same crawl. */
  othersServe: () => boolean;
  /** Why the crawl has paused, or that it has not. */
  changed: (pause: Pause | undefined) => void;
  /** No more leases; what workers have is still accepted as long as it can be written. */
  rest: () => void;
  /** Leases again. */
  start: () => void;
}

/** Looks whether a crawl that others fetch for has workers, and a disk to keep what they bring. */
export interface WorkerWatch {
  start(): void;
  look(): void;
  stop(): Promise<void>;
}

/** Workers that take turns between the crawls of a store are soon back. */
const TURN_MS = 2_000;
/** Timers may come a moment early. */
const AFTER_MS = 50;
const noWorker: Pause = { cause: 'no-worker', text: 'no worker is connected, so nothing is fetched' };
const allCordoned: Pause = {
  cause: 'no-worker',
  text: 'every connected worker is cordoned, so nothing new is fetched',
};

export function watchWorkers(options: WorkerWatchOptions): WorkerWatch {
  const { pool, clock, steadyClock, shared, expectsWorker, othersServe, changed } = options;
  let alone: Pause | undefined;
  let aloneSinceMs: number | undefined;
  let sawWorker = false;
  const over = new AbortController();
  let started = false;
  const disk = createDiskWatch({
    folder: options.folder,
    minFreeBytes: options.minFreeBytes,
    clock,
    changed(pause) {
      if (pause) options.rest();
      else if (started) options.start();
      tell();
      pool.wake();
    },
  });
  const tell = () => changed(disk.pause ?? alone);

  function look(): void {
    const workers = pool.all();
    const here = workers.some(({ cordoned }) => !cordoned);
    sawWorker ||= workers.length > 0;
    // Where others serve the same crawl, theirs may work on it.
    if (here || othersServe()) aloneSinceMs = undefined;
    else if (aloneSinceMs === undefined) {
      aloneSinceMs = clock.now();
      if (shared) lookAgain();
    }
    const isNews = aloneSinceMs !== undefined && (!shared || clock.now() - aloneSinceMs >= TURN_MS);
    const idle = workers.length > 0 ? allCordoned : noWorker;
    const now = isNews && started && (sawWorker || !expectsWorker) ? idle : undefined;
    if (now === alone) return;
    alone = now;
    tell();
  }

  /** A crawl that rests is looked at so seldom that its operator would hear of it minutes later. */
  function lookAgain(): void {
    void steadyClock.sleep(TURN_MS + AFTER_MS, over.signal).then(look, () => undefined);
  }

  const unlisten = pool.onChange(({ type }) => {
    if (type === 'workers') look();
  });
  return {
    look,
    start() {
      started = true;
      disk.start();
      if (!disk.pause) options.start();
      look();
    },
    async stop() {
      unlisten();
      over.abort();
      started = false;
      await disk.stop();
    },
  };
}
