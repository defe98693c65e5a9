import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NumberCounts } from './number-counts.ts';

describe('counts of numbers', () => {
  const key = fc.oneof(fc.nat(20), fc.maxSafeNat());

  it('are those of a map, in its order, also after some were forgotten', () => {
    fc.assert(
      fc.property(fc.array(key, { maxLength: 400 }), fc.maxSafeNat(), fc.array(key), (first, bound, then) => {
        const counts = new NumberCounts();
        const map = new Map<number, number>();
        const addAll = (keys: number[]) => {
          for (const each of keys) {
            map.set(each, (map.get(each) ?? 0) + 1);
            expect(counts.add(each)).toBe(map.get(each));
          }
        };
        addAll(first);
        expect([...counts.entries()]).toEqual([...map]);
        counts.keepBelow(bound);
        for (const each of map.keys()) if (each >= bound) map.delete(each);
        addAll(then);
        expect([...counts.entries()]).toEqual([...map]);
        for (const each of [...first, ...then, bound]) expect(counts.get(each)).toBe(map.get(each) ?? 0);
        counts.clear();
        expect([counts.size, counts.get(first[0] ?? 0)]).toEqual([0, 0]);
      }),
    );
  });

  it('are forgotten when there were many', () => {
    const counts = new NumberCounts();
    for (let n = 0; n < 10_000; n++) counts.add(n * 2 ** 33);
    expect(counts.size).toBe(10_000);
    counts.clear();
    expect(counts.add(2 ** 33)).toBe(1);
    expect([...counts.entries()]).toEqual([[2 ** 33, 1]]);
  });
});
