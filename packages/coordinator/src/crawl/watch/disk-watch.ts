import { statfs } from 'node:fs/promises';
import type { Clock, Pause } from '@webfarer/protocol';

export interface DiskWatchOptions {
  folder: string;
  minFreeBytes: () => number;
  clock: Clock;
  /** Space became short, or is there again. */
  changed: (pause: Pause | undefined) => void;
}

/** Looks after the disk of a coordinator, which keeps the crawl, its results and perhaps the archive. */
export interface DiskWatch {
  start(): void;
  stop(): Promise<void>;
  readonly pause: Pause | undefined;
}

const LOOK_MS = 1_000;
/** With less than this the disk is nearly full, whatever the crawl asks for. */
const LITTLE_BYTES = 500_000_000;

export function createDiskWatch({ folder, minFreeBytes, clock, changed }: DiskWatchOptions): DiskWatch {
  const over = new AbortController();
  let pause: Pause | undefined;
  let running: Promise<void> | undefined;

  async function look(): Promise<void> {
    // A folder that cannot be asked shows itself when it is written to.
    const free = await statfs(folder).then(
      ({ bavail, bsize }) => bavail * bsize,
      () => Number.POSITIVE_INFINITY,
    );
    const before = pause?.cause;
    const needed = `limits.minFree of the job asks for ${mb(minFreeBytes())}`;
    const text = `the coordinator's disk has ${mb(free)} left, ${needed}`;
    const cause = free < LITTLE_BYTES ? 'disk' : 'min-free';
    pause = free < minFreeBytes() ? { cause, text, retryInMs: LOOK_MS } : undefined;
    if (before !== pause?.cause) changed(pause);
  }

  async function run(): Promise<void> {
    while (!over.signal.aborted) {
      await look();
      await clock.sleep(LOOK_MS, over.signal).catch(() => undefined);
    }
  }

  return {
    start() {
      running ??= run();
    },
    async stop() {
      over.abort();
      await running;
    },
    get pause() {
      return pause;
    },
  };
}

function mb(bytes: number): string {
  return `${Math.round(bytes / 1_000_000).toLocaleString('en-US')} MB`;
}
