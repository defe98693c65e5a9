import { groupCount } from '@webfarer/protocol/url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownersOf } from './rendezvous.ts';

const owner = (id: string, capacity = 1) => ({ id, capacity });
const named = (count: number) => Array.from({ length: count }, (_, n) => owner(`coordinator-${n}`));
const countOf = (owners: (string | undefined)[], id: string) => owners.filter((each) => each === id).length;

describe('groups over members', () => {
  it('gives every group to somebody, and to nobody when there is nobody', () => {
    expect(new Set(ownersOf(named(1), groupCount))).toEqual(new Set(['coordinator-0']));
    expect(ownersOf([], 3)).toEqual([undefined, undefined, undefined]);
    expect(ownersOf([owner('a', 0), owner('b')], 50).every((each) => each === 'b')).toBe(true);
  });

  it('is even within five times the square root of a share', () => {
    for (const count of [2, 3, 4, 8, 16, 32]) {
      const owners = ownersOf(named(count), groupCount);
      const even = groupCount / count;
      for (const { id } of named(count))
        expect(Math.abs(countOf(owners, id) - even), `${id} of ${count}`).toBeLessThan(5 * Math.sqrt(even));
    }
  });

  it('follows capacity', () => {
    const owners = ownersOf([owner('small'), owner('large', 3)], groupCount);
    expect(countOf(owners, 'large') / groupCount).toBeGreaterThan(0.7);
    expect(countOf(owners, 'large') / groupCount).toBeLessThan(0.8);
  });

  it('moves only what must move when one comes or goes, and does not depend on the order', () => {
    const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 12 });
    const capacities = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 13, maxLength: 13 });
    fc.assert(
      fc.property(ids, capacities, (names, sizes) => {
        const before = names.map((id, n) => owner(id, sizes[n]));
        const newcomer = owner('the newcomer of all', sizes[12]);
        const then = ownersOf(before, groupCount);
        const now = ownersOf([newcomer, ...before.toReversed()], groupCount);
        for (const [group, id] of now.entries()) if (id !== newcomer.id) expect(id).toBe(then[group]);
        expect(ownersOf(before.toReversed(), groupCount)).toEqual(then);
      }),
      { numRuns: 30 },
    );
  });
});
