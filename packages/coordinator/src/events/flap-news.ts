import type { Clock } from '@webfarer/protocol';

/** Reports that something begins and ends, at a bounded rate. */
export interface FlapNews<T> {
  /** It has begun, or is another one than before; undefined: it has ended. */
  changed(value: T | undefined): void;
  /** Reports nothing more. */
  close(): void;
}

export interface FlapNewsOptions<T> {
  clock: Clock;
  /** One that begins for a cause that was not reported within the last minute is reported at once. */
  causeOf: (value: T) => string;
  /** `times`: how often it has begun since the last report. */
  began: (value: T, times: number) => void;
  ended: () => void;
}

const WINDOW_MS = 60_000;
/** Changes that are reported at once within that time. */
const BURST = 6;

/**
 * A disk at its limit, or a store that comes and goes, pauses a crawl a hundred times a minute. The first changes are reported as they
 * happen; from then on one report a minute counts them, until a minute passes without one.
 */
export function createFlapNews<T>({ clock, causeOf, began, ended }: FlapNewsOptions<T>): FlapNews<T> {
  let windowEndsAtMs = -Infinity;
  let reported = 0;
  /** Reported since the window began. */
  const causes = new Set<string>();
  /** What began since the last report: how often, the latest of it, and whether that has ended. */
  let held: { times: number; value: T | undefined; isOver: boolean } = none();
  let counting: AbortController | undefined;

  function report(): void {
    counting?.abort();
    counting = undefined;
    const { value, times, isOver } = held;
    held = none();
    if (value !== undefined) began(value, times);
    if (isOver) ended();
  }

  function nextWindow(): void {
    const { value } = held;
    report();
    windowEndsAtMs = clock.now() + WINDOW_MS;
    reported = BURST;
    causes.clear();
    if (value !== undefined) causes.add(causeOf(value));
  }

  function count(value: T | undefined): void {
    held.isOver = value === undefined;
    if (value === undefined) return;
    held.times++;
    held.value = value;
  }

  return {
    changed(value) {
      const nowMs = clock.now();
      if (!counting && nowMs >= windowEndsAtMs) {
        windowEndsAtMs = nowMs + WINDOW_MS;
        reported = 0;
        causes.clear();
      }
      const isNew = value !== undefined && !causes.has(causeOf(value));
      if (value !== undefined) causes.add(causeOf(value));
      if (counting && !isNew) return count(value);
      if (counting) report();
      if (reported < BURST || isNew) {
        reported++;
        return value === undefined ? ended() : began(value, 1);
      }
      count(value);
      const own = new AbortController();
      counting = own;
      clock.sleep(windowEndsAtMs - nowMs, own.signal).then(
        () => counting === own && nextWindow(),
        () => undefined,
      );
    },
    close: () => counting?.abort(),
  };
}

const none = () => ({ times: 0, value: undefined, isOver: true });
