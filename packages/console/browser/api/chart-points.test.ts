import { expect, it } from 'vitest';
import { chartPoints } from './chart-points.ts';

const recorded = (atMs: number, done: number, gap?: true) => ({
  atMs,
  known: 100,
  queued: 100 - done,
  leased: 0,
  done,
  failed: 0,
  refused: 0,
  bytes: 0,
  items: 0,
  ...(gap ? { gap } : {}),
});
const seen = (atMs: number, done: number, isRunning = true) => ({
  atMs,
  pagesPerSecond: 7,
  done,
  failed: 0,
  refused: 0,
  queued: 100 - done,
  known: 100,
  isRunning,
});

it('goes on from what was recorded to what is seen', () => {
  const points = chartPoints({
    history: [recorded(0, 0), recorded(20_000, 40), recorded(40_000, 50), recorded(60_000, 55)],
    live: [seen(50_000, 52), seen(51_000, 53)],
    sinceMs: undefined,
  });
  // The record of 60 s says what was seen at 51 s, that of 40 s what nobody saw; a rate is the difference to the record before, or to the next.
  expect(points.map(({ atMs, done, pagesPerSecond }) => [atMs, done, pagesPerSecond])).toEqual([
    [0, 0, 2],
    [20_000, 40, 2],
    [40_000, 50, 0.5],
    [50_000, 52, 7],
    [51_000, 53, 7],
  ]);
});

it('draws no line where nobody looked, and no rate below zero', () => {
  const points = chartPoints({
    history: [recorded(0, 10), recorded(900_000, 90, true), recorded(920_000, 80)],
    live: [],
    sinceMs: undefined,
  });
  expect(points.map(({ done }) => done)).toEqual([10, null, null, 90, 80]);
  expect(points.map(({ pagesPerSecond }) => pagesPerSecond)).toEqual([null, null, null, 0, 0]);
});

it('draws no line over a pause, nor behind the end', () => {
  const points = chartPoints({
    history: [],
    live: [
      seen(1_000, 10),
      seen(2_000, 12, false),
      seen(3_000, 12, false),
      seen(60_000, 12),
      seen(61_000, 14, false),
    ],
    sinceMs: undefined,
  });
  expect(points.map(({ atMs, done }) => [atMs, done])).toEqual([
    [1_000, 10],
    [2_000, 12],
    [2_001, null],
    [3_001, null],
    [60_000, 12],
    [61_000, 14],
    [61_001, null],
  ]);
});

it('shows what is in the range', () => {
  const history = [recorded(0, 0), recorded(20_000, 40)];
  expect(chartPoints({ history, live: [], sinceMs: 10_000 })).toMatchObject([{ done: 40 }]);
});
