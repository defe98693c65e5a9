import type { Clock, Pause } from '@webfarer/protocol';

/** Reports that a crawl pauses and resumes, at a bounded rate. */
export interface PauseNews {
  /** It has paused for this, or resumed. */
  changed(pause: Pause | undefined): void;
  /** Reports nothing more. */
  close(): void;
}

export interface PauseNewsOptions {
  clock: Clock;
  /** `times`: how often it has paused since the last report. */
  paused: (pause: Pause, times: number) => void;
  resumed: () => void;
}

const WINDOW_MS = 60_000;
/** Changes that are reported at once within that time. */
const BURST = 6;

/**
 * A disk at its limit, or a store that comes and goes, pauses a crawl a hundred times a minute. The first changes are reported as they
 * happen; from then on one report a minute counts them, until a minute passes without one.
 */
export function createPauseNews({ clock, paused, resumed }: PauseNewsOptions): PauseNews {
  let windowEndsAtMs = -Infinity;
  let reported = 0;
  /** Pauses since the last report, the latest of them, and whether it lasts. */
  const held: { times: number; pause: Pause | undefined; isOver: boolean } = {
    times: 0,
    pause: undefined,
    isOver: true,
  };
  let counting: AbortController | undefined;

  function report(): void {
    counting = undefined;
    windowEndsAtMs = clock.now() + WINDOW_MS;
    reported = BURST;
    if (held.pause) paused(held.pause, held.times);
    if (held.isOver) resumed();
    held.times = 0;
    held.pause = undefined;
  }

  function count(pause: Pause | undefined): void {
    held.isOver = pause === undefined;
    if (!pause) return;
    held.times++;
    held.pause = pause;
  }

  return {
    changed(pause) {
      if (counting) return count(pause);
      const nowMs = clock.now();
      if (nowMs >= windowEndsAtMs) {
        windowEndsAtMs = nowMs + WINDOW_MS;
        reported = 0;
      }
      if (reported < BURST) {
        reported++;
        return pause ? paused(pause, 1) : resumed();
      }
      count(pause);
      counting = new AbortController();
      clock.sleep(windowEndsAtMs - nowMs, counting.signal).then(report, () => undefined);
    },
    close: () => counting?.abort(),
  };
}
