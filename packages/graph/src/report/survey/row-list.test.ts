import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Histogram } from '../../stats/histogram.ts';
import { FirstRows, Tally, TopRows } from './row-list.ts';

describe('bounded lists', () => {
  it('keeps the heaviest rows', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 1_000 })),
        fc.integer({ min: 1, max: 20 }),
        (all, max) => {
          const top = new TopRows<number>(max);
          for (const weight of all) top.add(weight, weight);
          expect(top.sorted()).toEqual([...all].sort((a, b) => b - a).slice(0, max));
        },
      ),
    );
  });

  it('counts what it does not keep', () => {
    const rows = new FirstRows<number>(2);
    const tally = new Tally(2);
    for (const n of [1, 2, 2, 3, 3, 3]) {
      rows.add(n);
      tally.add(String(n));
    }
    expect([rows.rows, rows.total]).toEqual([[1, 2], 6]);
    expect([tally.sorted(), tally.others, tally.total]).toEqual([
      [
        ['2', 2],
        ['1', 1],
      ],
      3,
      6,
    ]);
  });

  it('finds any quantile within half the growth of its buckets', () => {
    const values = fc.array(fc.double({ min: 1, max: 500_000, noNaN: true }), {
      minLength: 1,
      maxLength: 300,
    });
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (all, q) => {
        const histogram = new Histogram(1.05, 600_000);
        for (const value of all) histogram.add(value);
        const exact = [...all].sort((a, b) => a - b)[Math.max(1, Math.ceil(q * all.length)) - 1] ?? 0;
        const found = histogram.quantile(q);
        expect(found).toBeGreaterThanOrEqual(exact * 0.975);
        expect(found).toBeLessThanOrEqual(exact * 1.025);
        expect(histogram.between([10, 100]).reduce((a, b) => a + b)).toBe(all.length);
      }),
    );
  });
});
