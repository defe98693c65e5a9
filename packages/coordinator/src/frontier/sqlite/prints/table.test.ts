import { expect, it } from 'vitest';
import { printTable } from './table.ts';

it('finds everything as it grows, also fingerprints that share a slot, and sorts it', () => {
  const table = printTable();
  const count = 10_000;
  // The low halves share their last twelve bits by fours.
  const halves = (n: number): [number, number] => [(n * 7919) | 0, ((n >> 2) * 4096 + (n & 3)) | 0];
  for (let n = 1; n <= count; n++) {
    expect(table.find(...halves(n))).toBe(0);
    table.add(...halves(n), n);
  }
  expect(table.size).toBe(count);
  for (let n = 1; n <= count; n++) expect(table.find(...halves(n))).toBe(n);
  const { high, entry } = table.sorted();
  expect([...high]).toEqual([...high].toSorted((a, b) => a - b));
  expect(new Set(entry).size).toBe(count);
  table.clear();
  expect([table.size, table.find(...halves(1))]).toEqual([0, 0]);
});
