import type { Clock } from '../../base/clock.ts';

/** How late the event loop ran what was due, since the look before. */
export interface LoopDelay {
  look(): { delayMs: number; maxMs: number };
  stop(): void;
}

/** Every look may wake the process, which costs more than the look. */
const EVERY_MS = 250;

/**
 * Node's own histogram forgets the delay that is under way whenever it is read and reset, which is the very one that
 * makes the reader late. So the loop is asked here.
 */
export function watchLoopDelay(clock: Clock, seen: (lateMs: number) => void = () => undefined): LoopDelay {
  const stopped = new AbortController();
  let lates: number[] = [];
  let dueAtMs = clock.now() + EVERY_MS;

  async function run(): Promise<void> {
    for (;;) {
      await clock.sleep(Math.max(0, dueAtMs - clock.now()), stopped.signal);
      const lateMs = Math.max(0, clock.now() - dueAtMs);
      lates.push(lateMs);
      seen(lateMs);
      dueAtMs = clock.now() + EVERY_MS;
    }
  }
  run().catch(() => undefined);

  return {
    look() {
      // One that is overdue now has not been counted yet, and must not wait for the next look.
      const nowMs = clock.now();
      const all = nowMs > dueAtMs ? [...lates, nowMs - dueAtMs] : lates;
      lates = [];
      if (nowMs > dueAtMs) dueAtMs = nowMs;
      const sum = all.reduce((one, lateMs) => one + lateMs, 0);
      return { delayMs: rounded(sum / Math.max(1, all.length)), maxMs: rounded(Math.max(0, ...all)) };
    },
    stop: () => stopped.abort(),
  };
}

const rounded = (ms: number) => Math.round(ms * 100) / 100;
