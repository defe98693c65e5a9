import type { HostHistory } from '@webfarer/protocol/api';
import { expect, it } from 'vitest';
import { heatMap } from './heat-map.ts';

const stepMs = 20_000;
const startMs = 64 * 10_000 * stepMs;

/** One moment in each of these slots; `pages` of one host by slot. */
function history(slots: number[], of: Record<string, (slot: number) => number | null>): HostHistory {
  return {
    stepMs,
    moments: slots.map((slot, n) => ({
      atMs: startMs + slot * stepMs + 7_000,
      gap: n > 0 && slot - (slots[n - 1] ?? 0) > 2,
    })),
    items: Object.entries(of).map(([host, pages]) => ({
      host,
      pages: slots.map(pages),
      troubles: slots.map((slot) => (slot === 3 ? 2 : 0)),
    })),
  };
}
const upTo = (last: number) => Array.from({ length: last + 1 }, (_, n) => n);

it('draws one cell for each step, with what the host did in it', () => {
  const { columns, rows, levels } = heatMap(
    history(upTo(4), { 'a.test': (slot) => [0, 0, 8, 9, 25][slot] ?? 0 }),
    undefined,
  );
  expect(columns.map(({ fromMs, toMs }) => (toMs - fromMs) / stepMs)).toEqual([1, 1, 1, 1]);
  expect(levels).toEqual([0, 1, 2, 4, 8]);
  const [row] = rows;
  expect(row).toMatchObject({ pages: 25, troubled: 1, isPartial: false });
  expect(row?.cells.map(({ pages, troubles, level }) => [pages, troubles, level])).toEqual([
    [0, 0, 0],
    [8, 0, 4],
    [1, 2, 1],
    [16, 0, 4],
  ]);
});

it('never takes what was not recorded for nothing, and tells which cells that are', () => {
  const { rows } = heatMap(
    history(upTo(3), { 'late.test': (slot) => (slot < 2 ? null : 500 + slot) }),
    undefined,
  );
  expect(rows[0]?.cells.map(({ pages }) => pages)).toEqual([null, null, 1]);
  expect(rows[0]).toMatchObject({ pages: 1, isPartial: true });
});

it('joins steps where there are many, at the same moments whenever it is asked, and loses no page', () => {
  const all = { 'a.test': (slot: number) => 3 * slot };
  const { columns, rows, stepMs: width } = heatMap(history(upTo(300), all), undefined);
  expect(width).toBe(8 * stepMs);
  expect(columns.length).toBeLessThanOrEqual(49);
  expect(columns.slice(0, -1).every(({ toMs }) => Math.floor(toMs / stepMs) % 8 === 0)).toBe(true);
  expect(rows[0]?.pages).toBe(900);
  // The trouble of one moment is told of the whole column that it is in.
  expect(rows[0]?.cells.map(({ troubles }) => troubles).slice(0, 2)).toEqual([2, 0]);
  // A short column at the end is as strong as the others, where as much happened in its time.
  expect(new Set(rows[0]?.cells.map(({ level }) => level))).toEqual(new Set([4]));
});

it('draws a gap as a column of its own, and leaves it out of the scale', () => {
  const { columns, rows } = heatMap(
    history([0, 1, 2, 90, 91], { 'a.test': (slot) => (slot > 2 ? 1_000 + slot : slot) }),
    undefined,
  );
  expect(columns.map(({ isGap, fromMs, toMs }) => [isGap, (toMs - fromMs) / stepMs])).toEqual([
    [false, 2],
    [true, 88],
    [false, 1],
  ]);
  expect(rows[0]?.cells.map(({ level }) => level).filter((_, n) => n !== 1)).toEqual([4, 4]);
});

it('shows the last part of it, and nothing before there are two moments', () => {
  const all = { 'a.test': (slot: number) => slot };
  const { columns } = heatMap(history(upTo(100), all), 15 * 60_000);
  expect(columns).toHaveLength(45);
  // A crawl that is over has few moments: the last step is longer than the time that is asked for.
  expect(heatMap(history([0, 64, 128], all), 15 * 60_000).columns).toHaveLength(1);
  expect(heatMap(history([5], all), undefined)).toMatchObject({ columns: [], rows: [] });
  expect(heatMap(history([], all), 1_000)).toMatchObject({ columns: [], rows: [] });
});
