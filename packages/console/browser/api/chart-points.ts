import type { CountSample } from '@webfarer/protocol/api';
import type { Sample } from './rate-book.ts';

/** A moment of a chart. Null: nobody knows, and no line is drawn through it. */
export interface ChartPoint {
  atMs: number;
  pagesPerSecond: number | null;
  done: number | null;
  failed: number | null;
  refused: number | null;
  queued: number | null;
}

export interface ChartSources {
  /** As recorded, the oldest first. */
  history: readonly CountSample[];
  /** As this browser saw it. */
  live: readonly Sample[];
  /** Undefined: from the beginning. */
  sinceMs: number | undefined;
}

/** What was seen a moment before or after says more than a record of the same time. */
const nearMs = 15_000;

/** What was recorded, then what was seen live; where nobody looked, a point without values. */
export function chartPoints({ history, live, sinceMs = 0 }: ChartSources): ChartPoint[] {
  const seen: ChartPoint[] = live.flatMap(
    ({ atMs, pagesPerSecond, done, failed, refused, queued, isRunning }, n): ChartPoint[] => {
      const point = { atMs, pagesPerSecond, done, failed, refused, queued };
      // What it had when it stopped still counts; until it runs again no line is drawn.
      return isRunning ? [point] : [...(live[n - 1]?.isRunning === false ? [] : [point]), nothing(atMs + 1)];
    },
  );
  const seenAt = new Set(live.map(({ atMs }) => Math.floor(atMs / nearMs)));
  // What came before is known from the record alone, however short before.
  const seenFromMs = live[0]?.atMs ?? Number.POSITIVE_INFINITY;
  const recorded = history.flatMap((sample, n) => {
    const before = history[n - 1];
    const at = Math.floor(sample.atMs / nearMs);
    if (sample.atMs >= seenFromMs && [at - 1, at, at + 1].some((time) => seenAt.has(time))) return [];
    const { atMs, done, failed, refused, queued } = sample;
    // After the beginning and after a gap, what follows tells the rate.
    const next = history[n + 1] ?? live.find((each) => each.atMs > atMs);
    const pagesPerSecond = before && !sample.gap ? rateBetween(before, sample) : rateBetween(sample, next);
    const point = { atMs, pagesPerSecond, done, failed, refused, queued };
    return sample.gap && before ? [nothing(before.atMs + 1), nothing(atMs - 1), point] : [point];
  });
  return [...recorded, ...seen].filter(({ atMs }) => atMs >= sinceMs).toSorted((a, b) => a.atMs - b.atMs);
}

export const isKnown = (point: ChartPoint): boolean => point.done !== null;

const nothing = (atMs: number): ChartPoint => ({
  atMs,
  pagesPerSecond: null,
  done: null,
  failed: null,
  refused: null,
  queued: null,
});

/** Sums can fall: hosts are forgotten, URLs are retried. A rate below zero would say nothing. */
function rateBetween(before: Moment, now: Moment | undefined): number | null {
  if (!now || now.gap) return null;
  const seconds = (now.atMs - before.atMs) / 1_000;
  return seconds <= 0 ? null : Math.max(0, settled(now) - settled(before)) / seconds;
}

type Moment = Pick<CountSample, 'atMs' | 'done' | 'failed' | 'refused' | 'gap'>;
const settled = ({ done, failed, refused }: Moment): number => done + failed + refused;
