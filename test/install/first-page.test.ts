import { expect, test } from 'vitest';
import { startFailures } from './first-page.ts';

test('the median counts, and a slow machine is allowed for', () => {
  expect(startFailures({ firstPageMs: [900, 9_000, 1_000], yardstickMs: [500, 550, 500] })).toEqual([]);
  expect(startFailures({ firstPageMs: [2_100, 2_100, 100], yardstickMs: [500, 550, 500] })).toHaveLength(1);
  expect(startFailures({ firstPageMs: [3_900], yardstickMs: [1_100] })).toEqual([]);
  expect(startFailures({ firstPageMs: [4_100], yardstickMs: [1_100] })).toHaveLength(1);
});

test('no measurement is no success', () => {
  expect(startFailures({ firstPageMs: [], yardstickMs: [550] })).toHaveLength(1);
});
