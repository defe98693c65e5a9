import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CountTable } from './count-table.ts';
import { Histogram } from './histogram.ts';
import { Timeline } from './timeline.ts';

describe('histogram', () => {
  it('finds any quantile within half of its growth', () => {
    const values = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (all, q) => {
        const growth = 1.1;
        const histogram = new Histogram(growth, 1_000_000);
        for (const value of all) histogram.add(value);
        const sorted = all.toSorted((a, b) => a - b);
        const exact = sorted[Math.max(0, Math.ceil(q * all.length) - 1)] as number;
        const ratio = histogram.quantile(q) / exact;
        expect(ratio).toBeGreaterThanOrEqual(1 / growth ** 0.5001);
        expect(ratio).toBeLessThanOrEqual(growth ** 0.5001);
      }),
    );
  });

  it('keeps what is larger than it was made for in its last bucket', () => {
    const histogram = new Histogram(2, 1_000);
    histogram.add(10);
    histogram.add(1e12);
    expect(histogram.total).toBe(2);
    expect(histogram.quantile(1)).toBeGreaterThanOrEqual(500);
    expect(histogram.between([100])).toEqual([1, 1]);
  });

  it('counts each value between two edges once', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 100_000 }), { maxLength: 100 }), (all) => {
        const histogram = new Histogram(1.05, 100_000);
        for (const value of all) histogram.add(value);
        const sums = histogram.between([10, 1_000, 50_000]);
        expect(sums).toHaveLength(4);
        expect(sums.reduce((sum, n) => sum + n, 0)).toBe(all.length);
      }),
    );
  });

  it('is 0 when nothing was added', () => {
    expect(new Histogram(1.1, 100).quantile(0.5)).toBe(0);
  });
});

describe('tables of counts', () => {
  it('lose nothing: what has no row of its own is in the rest', () => {
    const entries = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.boolean(), fc.nat(1_000)));
    fc.assert(
      fc.property(entries, fc.nat(6), (all, max) => {
        const table = new CountTable(max);
        for (const [key, isPage, bytes] of all) table.add(key, isPage, bytes);
        const rows = [...table.sorted(), table.rest];
        const sum = (of: (row: (typeof rows)[number]) => number) =>
          rows.reduce((total, row) => total + of(row), 0);
        expect(sum((row) => row.urls)).toBe(all.length);
        expect(sum((row) => row.pages)).toBe(all.filter(([, isPage]) => isPage).length);
        expect(sum((row) => row.bytes)).toBe(all.reduce((total, [, , bytes]) => total + bytes, 0));
        expect(table.sorted().length).toBeLessThanOrEqual(max);
      }),
    );
  });
});

describe('timeline', () => {
  it('adds up and stays small, however long the crawl and in whatever order it is told', () => {
    const moments = fc.array(fc.tuple(fc.nat(1e12), fc.nat(2)), { maxLength: 200 });
    fc.assert(
      fc.property(moments, (all) => {
        const timeline = new Timeline(3, 16);
        for (const [atMs, kind] of all) timeline.add(atMs, kind);
        const found = timeline.moments();
        expect(found.length).toBeLessThanOrEqual(16);
        for (const kind of [0, 1, 2])
          expect(found.reduce((sum, { counts }) => sum + (counts[kind] as number), 0)).toBe(
            all.filter(([, own]) => own === kind).length,
          );
        const starts = found.map(({ atMs }) => atMs);
        expect(starts).toEqual(starts.toSorted((a, b) => a - b));
        for (const [atMs] of all)
          expect(starts.some((start) => start <= atMs && atMs < start + timeline.widthMs)).toBe(true);
      }),
    );
  });
});
