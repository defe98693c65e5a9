import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stretchesOf } from './over-time.ts';
import { logScale, short, ticks, wholeTicks } from './scale.ts';
import { squarify } from './treemap.ts';

describe('scales', () => {
  it('have round marks that reach the largest value, never too many', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e15, noNaN: true }), (max) => {
        const marks = ticks(max);
        expect(marks[0]).toBe(0);
        expect(marks.at(-1)).toBeGreaterThanOrEqual(max * (1 - 1e-9));
        expect(marks.length).toBeLessThanOrEqual(6);
      }),
    );
    expect(ticks(1_650, 3)).toEqual([0, 1_000, 2_000]);
    expect(wholeTicks(2)).toEqual([0, 1, 2]);
    expect([short(0), short(1_500), short(2e7), short(0.25)]).toEqual(['0', '1.5k', '20M', '0.25']);
    expect(logScale(1, 1_000, 300)(10)).toBeCloseTo(100);
  });
});

describe('treemap', () => {
  it('gives every value its share of the room, and nothing overlaps', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 60 }),
        (values) => {
          const sorted = values.toSorted((a, b) => b - a);
          const boxes = squarify(sorted, { x: 0, y: 0, w: 500, h: 200 });
          const total = sorted.reduce((sum, value) => sum + value, 0);
          expect(boxes).toHaveLength(sorted.length);
          for (const [i, { x, y, w, h }] of boxes.entries()) {
            expect((w * h) / 100_000).toBeCloseTo((sorted[i] ?? 0) / total, 6);
            expect(Math.min(x, y)).toBeGreaterThan(-1e-6);
            expect(x + w).toBeLessThan(500.001);
            expect(y + h).toBeLessThan(200.001);
          }
        },
      ),
    );
  });
});

describe('time', () => {
  it('fills short silences and shows long ones as pauses', () => {
    const at = (atMs: number) => ({ atMs, counts: [1] });
    const found = stretchesOf([at(0), at(1_000), at(4_000), at(100_000)], 1_000);
    expect(found).toEqual([
      at(0),
      at(1_000),
      { atMs: 2_000, counts: [0] },
      { atMs: 3_000, counts: [0] },
      at(4_000),
      { pauseMs: 95_000 },
      at(100_000),
    ]);
  });
});
