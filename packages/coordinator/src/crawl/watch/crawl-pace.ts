import type { Clock } from '@webfarer/protocol';

/** A crawl rests when nothing has happened to it for so long and nothing of it is due for so long. */
const CALM_MS = 10_000;
const FAR_MS = 60_000;
/** Pause between two looks at a crawl that rests. */
const LOOK_MS = 20_000;

export interface CrawlPaceOptions {
  clock: Clock;
  /** Workers hold leases of it here. */
  isHeld: () => boolean;
}

/**
 * How often a coordinator does its duties for a crawl: at the pace of each duty while something happens to the crawl or is due soon,
 * and seldom while it waits for a moment that is far off. Thousands of open crawls that wait then cost little.
 */
export interface CrawlPace {
  /** Something happened to it, or an operator wants something of it: every duty is done at once, and at its own pace again. */
  stir(): void;
  /** Something of it may be due in so many ms. Answers the same. */
  due(inMs: number): number;
  /** Nothing happens to it, and nothing of it is due soon. */
  isResting(): boolean;
  /** For duties: a sleep takes at least so long while the crawl rests, and ends when it is stirred. */
  clock(restMs: number): Clock;
  /** Answers what was read last while the crawl rests. */
  kept<T>(read: () => Promise<T>): () => Promise<T>;
  /** Leaves out most calls while the crawl rests. */
  seldom(look: () => Promise<void>): () => Promise<void>;
}

export function createCrawlPace({ clock, isHeld }: CrawlPaceOptions): CrawlPace {
  let stirredAtMs = clock.now();
  let dueAtMs = Number.NEGATIVE_INFINITY;
  let woken = new AbortController();
  let sleepers = 0;

  function rests(): boolean {
    const now = clock.now();
    return now - stirredAtMs >= CALM_MS && dueAtMs - now >= FAR_MS && !isHeld();
  }

  async function rest(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const until = signal ? AbortSignal.any([signal, woken.signal]) : woken.signal;
    sleepers++;
    try {
      await clock.sleep(ms, until);
    } catch (error) {
      if (signal?.aborted) throw error;
    } finally {
      sleepers--;
    }
  }

  return {
    stir() {
      stirredAtMs = clock.now();
      if (sleepers === 0) return;
      woken.abort();
      woken = new AbortController();
    },
    due(inMs) {
      dueAtMs = clock.now() + inMs;
      return inMs;
    },
    isResting: rests,
    clock: (restMs) => ({
      now: clock.now,
      sleep: (ms, signal) => (rests() ? rest(Math.max(ms, restMs), signal) : clock.sleep(ms, signal)),
    }),
    kept<T>(read: () => Promise<T>) {
      let last: { value: T } | undefined;
      return async () => {
        if (last && rests()) return last.value;
        last = { value: await read() };
        return last.value;
      };
    },
    seldom(look) {
      let lookedAtMs = Number.NEGATIVE_INFINITY;
      return async () => {
        if (rests() && clock.now() - lookedAtMs < LOOK_MS) return;
        lookedAtMs = clock.now();
        await look();
      };
    },
  };
}
