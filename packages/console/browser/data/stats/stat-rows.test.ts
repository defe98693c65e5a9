import type { StatisticsTable } from '@webfarer/protocol/api';
import { expect, it } from 'vitest';
import { stepRows, tableRows } from './stat-rows.ts';

const words = {
  others: (keys: number) => `${keys} others`,
  without: 'not known',
  figure: (value: number) => String(value),
};
const row = (key: string, urls: number, bytes: number) => ({ key, urls, pages: 0, bytes });
const table: StatisticsTable = {
  keys: 9,
  rows: [row('a', 50, 1), row('b', 30, 900), row('c', 10, 20), row('d', 5, 0)],
  others: { urls: 3, pages: 0, bytes: 7 },
  without: 2,
};
const shown = (bars: readonly { label: string; value: number }[]) =>
  bars.map(({ label, value }) => [label, value]);

it('lists the largest, sums up the others, and ends with what is not known', () => {
  expect(shown(tableRows(table, { by: 'urls', most: 3, words }))).toEqual([
    ['a', 50],
    ['b', 30],
    ['7 others', 18],
    ['not known', 2],
  ]);
  expect(shown(tableRows(table, { by: 'bytes', most: 3, words }))).toEqual([
    ['b', 900],
    ['c', 20],
    ['6 others', 8],
  ]);
});

it('names all where they fit, without a row of others', () => {
  const whole = { ...table, keys: 4, others: { urls: 0, pages: 0, bytes: 0 }, without: 0 };
  expect(shown(tableRows(whole, { by: 'urls', most: 4, words }))).toEqual([
    ['a', 50],
    ['b', 30],
    ['c', 10],
    ['d', 5],
  ]);
});

it('begins with the first step that has anything, and keeps gaps', () => {
  const steps = [
    { above: 0, upTo: 10, urls: 0 },
    { above: 10, upTo: 25, urls: 4 },
    { above: 25, upTo: 50, urls: 0 },
    { above: 50, urls: 1 },
  ];
  const quantiles = { p5: 0, p25: 0, p50: 0, p75: 0, p95: 0 };
  const say = { upTo: (n: number) => `<= ${n}`, above: (n: number) => `> ${n}`, figure: String };
  expect(shown(stepRows({ urls: 5, steps, quantiles }, say))).toEqual([
    ['<= 25', 4],
    ['<= 50', 0],
    ['> 50', 1],
  ]);
});
