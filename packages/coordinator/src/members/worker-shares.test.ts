import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evenOut, type Flow, type Load } from './worker-shares.ts';

const load = (id: string, workers: number, capacity = 1): Load => ({ id, workers, capacity });
const moved = (flows: Flow[]) => flows.reduce((sum, { count }) => sum + count, 0);

function apply(loads: Load[], flows: Flow[]): Load[] {
  return loads.map((each) => {
    const out = moved(flows.filter(({ from }) => from === each.id));
    return { ...each, workers: each.workers - out + moved(flows.filter(({ to }) => to === each.id)) };
  });
}

function evenOf(loads: Load[]): number[] {
  const workers = loads.reduce((sum, each) => sum + each.workers, 0);
  const capacity = loads.reduce((sum, each) => sum + each.capacity, 0);
  return loads.map((each) => (workers * each.capacity) / capacity);
}

const isEven = (count: number, even: number) =>
  even === 0 ? count === 0 : Math.abs(count - even) <= 1 + 1e-9;

/** The fewest switches that do it, by trying every way to share them out. */
function fewest(loads: Load[]): number {
  const total = loads.reduce((sum, each) => sum + each.workers, 0);
  const even = evenOf(loads);
  let best = Number.POSITIVE_INFINITY;
  const tryAll = (n: number, left: number, switches: number): void => {
    const [own, share] = [loads[n], even[n]];
    if (own === undefined || share === undefined) {
      if (left === 0) best = Math.min(best, switches);
      return;
    }
    for (let count = 0; count <= left; count++)
      if (isEven(count, share)) tryAll(n + 1, left - count, switches + Math.max(0, own.workers - count));
  };
  tryAll(0, total, 0);
  return best;
}

const anyLoads = (members: number, most: number) =>
  fc
    .array(fc.record({ workers: fc.nat(most), capacity: fc.integer({ min: 0, max: 4 }) }), {
      minLength: 1,
      maxLength: members,
    })
    .map((list) => list.map((each, n) => ({ ...each, id: `m${n}` })))
    .filter((list) => list.some(({ capacity }) => capacity > 0));

describe('even shares of workers', () => {
  it('gives a newcomer its share', () => {
    const loads = [load('a', 20), load('b', 20), load('c', 20), load('d', 0)];
    const flows = evenOut(loads);
    expect(flows.every(({ to }) => to === 'd')).toBe(true);
    expect(moved(flows)).toBe(14);
    expect(apply(loads, flows).map(({ workers }) => workers)).toEqual([15, 15, 16, 14]);
  });

  it('empties one that leaves, and leaves alone what is even enough', () => {
    expect(evenOut([load('a', 5, 0), load('b', 4), load('c', 5)])).toEqual([
      { from: 'a', to: 'b', count: 3 },
      { from: 'a', to: 'c', count: 2 },
    ]);
    expect(evenOut([load('a', 4), load('b', 5), load('c', 6)])).toEqual([]);
    expect(evenOut([load('a', 9, 0)])).toEqual([]);
    expect(evenOut([])).toEqual([]);
  });

  it('is within one of even by capacity, and moves nobody the second time', () => {
    fc.assert(
      fc.property(anyLoads(40, 500), (loads) => {
        const after = apply(loads, evenOut(loads));
        const even = evenOf(after);
        for (const [n, { workers }] of after.entries()) expect(isEven(workers, even[n] ?? 0)).toBe(true);
        expect(evenOut(after)).toEqual([]);
      }),
    );
  });

  it('moves no more workers than needed', () => {
    fc.assert(
      fc.property(anyLoads(5, 12), (loads) => {
        expect(moved(evenOut(loads))).toBe(fewest(loads));
      }),
      { numRuns: 300 },
    );
  });

  it('is found alike by all who know the same numbers', () => {
    fc.assert(
      fc.property(anyLoads(12, 60), fc.infiniteStream(fc.nat()), (loads, order) => {
        const shuffled = loads.map((each) => ({ each, at: order.next().value as number }));
        const other = shuffled.sort((a, b) => a.at - b.at).map(({ each }) => each);
        expect(evenOut(other)).toEqual(evenOut(loads));
      }),
    );
  });
});
