import type { DatedClock } from '@webfarer/protocol';

export interface ClockWatch {
  /** By how much the wall clock was set since the last look, or the machine slept; 0 where it ran on. */
  look(): number;
}

/** Less than this is adjusted, not set; and latency of a store, not another time. */
const LEAST_MS = 30_000;

export function createClockWatch(clock: Pick<DatedClock, 'now' | 'wall'>): ClockWatch {
  const aheadNow = () => clock.wall() - clock.now();
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

export interface ClockComparison {
  /**
   * By how much this clock is ahead of the other one, where that is news: it is 30 s or more for the first time, by 30 s
   * more or less than last reported, or no longer (0).
   */
  news(ownMs: number, otherMs: number): number | undefined;
}

export function createClockComparison(): ClockComparison {
  let reportedMs = 0;
  return {
    news(ownMs, otherMs) {
      const apartMs = Math.round(ownMs - otherMs);
      const isApart = Math.abs(apartMs) >= LEAST_MS;
      if (isApart ? Math.abs(apartMs - reportedMs) < LEAST_MS : reportedMs === 0) return undefined;
      reportedMs = isApart ? apartMs : 0;
      return reportedMs;
    },
  };
}
