import type { Clock } from '@webfarer/protocol';

/** A crawl rests when nothing has happened to it for so long and nothing of it is due for so long. */
const CALM_MS = 10_000;
const FAR_MS = 60_000;
/** A crawl waits when the next page of it is due so much later. */
const WAIT_MS = 1_000;
/** What was read of a crawl that rests is shown no longer than this: another coordinator may have dropped some of its URLs. */
const KEPT_MS = 300_000;
/**
 * Pause between two looks at a crawl that rests. The store tells of changes, so these looks are a safety net. `elsewhere`: other coordinators hold all
 * that is left of it, and may die before they end it.
 */
const LOOK_MS = { resting: 600_000, elsewhere: 20_000, waiting: 20_000 };
/** How long a duty sleeps at least while the crawl waits, and how long the same is shown of it. */
const WAITING_MS = 5_000;

/** The least that a duty sleeps, in ms. */
export interface DutySleeps {
  /** While the crawl rests, until it is stirred. */
  resting: number;
  /** While it waits for its next page; by default five seconds. */
  waiting?: number;
}

export interface CrawlPaceOptions {
  clock: Clock;
  /** Workers hold leases of it here. */
  isHeld: () => boolean;
  /** It is leased where somebody asks for URLs. */
  isRunning: () => boolean;
  /** How long it may still run; Infinity: as long as it takes. */
  leftMs: () => number;
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
  /** Invalidates what `kept` has read, without waking the crawl. */
  outdate(): void;
  /** Calls the listener at each stir. */
  onStir(listener: () => void): void;
  /** Nothing happens to it, and nothing of it is due soon. */
  isResting(): boolean;
  /** For duties, whose sleeps it makes longer. */
  clock(sleeps: DutySleeps): Clock;
  /** Answers what was read last while the crawl rests or waits, if it is not out of date. */
  kept<T>(read: () => Promise<T>): () => Promise<T>;
  /** Whether to look now at the crawl: each time that this is asked, but seldom while it rests or waits. */
  isLookDue(): boolean;
}

export function createCrawlPace({ clock, isHeld, isRunning, leftMs }: CrawlPaceOptions): CrawlPace {
  const listeners = new Set<() => void>();
  let stirredAtMs = clock.now();
  /** Changes where what was read before is out of date. */
  let version = 0;
  let dueAtMs = Number.NEGATIVE_INFINITY;
  let woken = new AbortController();
  let sleepers = 0;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  /** What was the version then. */
  let lookedAt = -1;

  function rests(): boolean {
    const now = clock.now();
    if (now - stirredAtMs < CALM_MS || dueAtMs - now < FAR_MS || isHeld()) return false;
    return !isRunning() || leftMs() >= FAR_MS;
  }

  /**
   * Until something happens to it that stirs it, it can neither end nor need anything: its pages are leased here, or the next is due a
   * little later. A crawl that fetches a page every few seconds spends nearly all its time so.
   */
  function waits(): boolean {
    if (!isRunning()) return false;
    const inMs = dueAtMs - clock.now();
    return isHeld() ? inMs > 0 : inMs >= WAIT_MS && inMs < Number.POSITIVE_INFINITY;
  }

  /** It runs, nothing of it is queued, and nothing is held here. */
  const isElsewhere = () => isRunning() && dueAtMs === Number.POSITIVE_INFINITY;

  /** Pause between two looks at it. */
  function lookMs(): number {
    if (rests()) return isElsewhere() ? LOOK_MS.elsewhere : LOOK_MS.resting;
    // A look is what ends it when its time is over.
    const isSame = lookedAt === version && leftMs() > LOOK_MS.waiting;
    return isSame && waits() ? LOOK_MS.waiting : 0;
  }

  /** How long what was read of it is shown, if nothing happens to it. */
  function keptMs(): number {
    if (rests()) return isElsewhere() ? 0 : KEPT_MS;
    return waits() ? WAITING_MS : 0;
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
      version++;
      for (const listener of listeners) listener();
      if (sleepers === 0) return;
      woken.abort();
      woken = new AbortController();
    },
    due(inMs) {
      dueAtMs = clock.now() + inMs;
      return inMs;
    },
    outdate() {
      version++;
    },
    onStir: (listener) => void listeners.add(listener),
    isResting: rests,
    clock: ({ resting, waiting = WAITING_MS }) => ({
      now: clock.now,
      async sleep(ms, signal) {
        if (rests()) return await rest(Math.max(ms, resting), signal);
        await clock.sleep(waits() ? Math.max(ms, waiting) : ms, signal);
      },
    }),
    kept<T>(read: () => Promise<T>) {
      let last: { value: T; version: number; atMs: number } | undefined;
      return async () => {
        const asked = { version, atMs: clock.now() };
        if (last?.version === version && asked.atMs - last.atMs < keptMs()) return last.value;
        last = { value: await read(), ...asked };
        return last.value;
      };
    },
    isLookDue() {
      const now = clock.now();
      if (now - lookedAtMs < lookMs()) return false;
      lookedAtMs = now;
      lookedAt = version;
      return true;
    },
  };
}
