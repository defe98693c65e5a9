import type { DatedClock } from '@webfarer/protocol';

/** Time that stands still until a test moves it. */
export interface TestClock extends DatedClock {
  advance(ms: number): void;
  /** The wall clock is set, or the machine was suspended: waits do not notice. */
  jump(ms: number): void;
}

export function testClock(startMs = 1_000_000): TestClock {
  let [now, aheadMs] = [startMs, 0];
  return {
    now: () => now,
    wall: () => now + aheadMs,
    advance(ms) {
      now += ms;
    },
    jump(ms) {
      aheadMs += ms;
    },
    sleep: () => Promise.reject(new Error('the frontier never sleeps')),
  };
}
