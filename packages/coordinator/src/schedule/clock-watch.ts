import type { Clock } from '@webfarer/protocol';

export interface ClockWatch {
  /** By how much the wall clock was set since the last look, or the machine slept; 0 where it ran on. */
  look(): number;
}

/** Less than this is adjusted, not set. */
const LEAST_MS = 30_000;

export function createClockWatch({
  clock,
  wallMs,
}: {
  clock: Pick<Clock, 'now'>;
  wallMs: () => number;
}): ClockWatch {
  const aheadNow = () => wallMs() - clock.now();
  let aheadMs = aheadNow();
  return {
    look() {
      const beforeMs = aheadMs;
      aheadMs = aheadNow();
      const jumpMs = Math.round(aheadMs - beforeMs);
      return Math.abs(jumpMs) < LEAST_MS ? 0 : jumpMs;
    },
  };
}
