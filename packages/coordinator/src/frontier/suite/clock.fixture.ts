import type { Clock } from '@webfarer/protocol';

/** Time that stands still until a test moves it. */
export interface TestClock extends Clock {
  advance(ms: number): void;
}

export function testClock(startMs = 1_000_000): TestClock {
  let now = startMs;
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
    sleep: () => Promise.reject(new Error('the frontier never sleeps')),
  };
}
