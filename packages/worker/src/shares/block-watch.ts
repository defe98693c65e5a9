import type { Account } from './account.ts';
import type { Handling } from './handling.ts';

/** The event loop stood still for one page. */
export interface Block extends Pick<Handling, 'url' | 'stage'> {
  ms: number;
}

/** Notices what keeps the event loop from turning. */
export interface BlockWatch {
  start(): void;
  stop(): void;
  /** So much was computed for a page at a stretch. */
  computed(handling: Handling, ms: number): void;
  /** While it lasts, user code may block the loop at any time. */
  during<T>(handling: Handling, work: () => Promise<T>): Promise<T>;
}

export interface BlockWatchOptions {
  /** Milliseconds, from any moment on. */
  nowMs: () => number;
  /** CPU time of the main thread, in milliseconds. */
  cpuMs: () => number;
  /** Calls it again and again, until what it answers is called. */
  every: (ms: number, then: () => void) => () => void;
  blocked: (account: Account, block: Block) => void;
}

/** Milliseconds, by the clock and of computing. What takes longer is noticed: servers close connections, people wait. */
const blockMs = 1_000;
/** Milliseconds between two looks at the clock: by so much a block may be told as shorter than it was. */
const lookMs = 250;

/** User code, from when it began to when it was done. */
interface Own {
  handling: Handling;
  begunMs: number;
  doneMs: number;
}

export function createBlockWatch({ nowMs, cpuMs, every, blocked }: BlockWatchOptions): BlockWatch {
  /** Under way, or done since the last look. */
  let own: Own[] = [];
  let stopLooking = () => {};
  let lookedMs = 0;
  /** At the last look. */
  let cpuThenMs = 0;
  /** Computed for pages since the last look. */
  let seenMs = 0;

  /** For as long as a process is stopped, or has no processor, it stands still as well, but not for this page. */
  function tell({ account, url, stage }: Handling, tookMs: number): void {
    const ms = Math.min(tookMs, cpuMs() - cpuThenMs);
    if (ms >= blockMs) blocked(account, { url, stage, ms });
  }

  /** What kept the timer from coming and was not seen can only be user code that went on after it had waited. */
  function look(): void {
    const now = nowMs();
    const unseenMs = now - lookedMs - lookMs - seenMs;
    if (unseenMs >= blockMs) {
      const handling = lastOfOneCrawl(own, now - unseenMs);
      if (handling) tell(handling, unseenMs);
    }
    own = own.filter(({ doneMs }) => doneMs === Number.POSITIVE_INFINITY);
    restart();
  }

  function restart(): void {
    lookedMs = nowMs();
    cpuThenMs = cpuMs();
    seenMs = 0;
  }

  return {
    start() {
      restart();
      stopLooking = every(lookMs, look);
    },
    stop: () => stopLooking(),
    computed(handling, ms) {
      seenMs += ms;
      if (ms >= blockMs) tell(handling, ms);
    },
    async during(handling, work) {
      const one: Own = { handling, begunMs: nowMs(), doneMs: Number.POSITIVE_INFINITY };
      own.push(one);
      try {
        return await work();
      } finally {
        one.doneMs = nowMs();
      }
    },
  };
}

/** Of what was under way then; undefined: nothing, or code of several crawls. */
function lastOfOneCrawl(own: readonly Own[], thenMs: number): Handling | undefined {
  let last: Handling | undefined;
  for (const { handling, begunMs, doneMs } of own) {
    if (begunMs > thenMs || doneMs < thenMs) continue;
    if (last && last.account !== handling.account) return undefined;
    last = handling;
  }
  return last;
}
