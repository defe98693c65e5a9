import type { Clock, CrawlSnapshot, Pause, Stall } from '@webfarer/protocol';
import { stallOfPause } from '@webfarer/protocol/crawl';

export interface StallWatchOptions {
  clock: Clock;
  snapshot: () => Promise<CrawlSnapshot>;
  /** The cause has changed, or the crawl is moving again. */
  changed: (stall: Stall | undefined) => void;
}

/** Looks why a crawl makes no progress, once a second or less often while nothing changes, and tells each cause once. */
export interface StallWatch {
  start(): void;
  /** The whole crawl has paused: nobody need look twice. */
  paused(pause: Pause): void;
  stop(): Promise<void>;
  /** As last seen. */
  readonly stall: Stall | undefined;
}

const LOOK_MS = 1_000;
/** The same after so many looks in a row that all saw the same. */
const SELDOM_MS = 3_000;
const SAME_LOOKS = 5;
/** A cause is reported once it was seen this often in a row: every crawl is idle for a moment between requests. */
const LOOKS = 2;

export function createStallWatch({ clock, snapshot, changed }: StallWatchOptions): StallWatch {
  const over = new AbortController();
  let told: Stall | undefined;
  let last: { cause: string | undefined; looks: number } = { cause: undefined, looks: 0 };
  let running: Promise<void> | undefined;

  async function look(): Promise<void> {
    const { stall } = await snapshot();
    last = { cause: stall?.cause, looks: stall?.cause === last.cause ? last.looks + 1 : 1 };
    if (last.looks < LOOKS || over.signal.aborted) return;
    const isNews = stall?.cause !== told?.cause;
    told = stall;
    if (isNews) changed(stall);
  }

  async function run(): Promise<void> {
    while (!over.signal.aborted) {
      await clock.sleep(last.looks < SAME_LOOKS ? LOOK_MS : SELDOM_MS, over.signal).catch(() => undefined);
      // A store that does not answer is looked at again.
      if (!over.signal.aborted) await look().catch(() => undefined);
    }
  }

  return {
    start() {
      running ??= run();
    },
    paused(pause) {
      if (!running || over.signal.aborted || pause.cause === told?.cause) return;
      told = stallOfPause(pause);
      changed(told);
    },
    async stop() {
      over.abort();
      await running;
      // Nothing comes after a limit: it is told at once.
      const { stall } = running && told?.cause !== 'limit' ? await snapshot() : { stall: undefined };
      if (stall?.cause !== 'limit') return;
      told = stall;
      changed(stall);
    },
    get stall() {
      return told;
    },
  };
}
