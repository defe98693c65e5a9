import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evenOut, type Flow, type Load } from './worker-shares.ts';

const common = { crawl: 'x', wants: 10_000, pinned: false };
const load = (id: string, workers: number, capacity = 1): Load => ({ ...common, id, workers, capacity });
const of = (crawl: string, workers: number, more: Partial<Load> = {}): Load => ({
  ...load(`${crawl}-coordinator`, workers),
  crawl,
  ...more,
});
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
    .map((list) => list.map((each, n) => ({ ...common, ...each, id: `m${n}` })))
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

const counts = (loads: Load[]) => apply(loads, evenOut(loads)).map(({ workers }) => workers);

describe('shares by demand', () => {
  it('gives every crawl with work a worker where there are enough', () => {
    expect(counts([of('red', 2), of('blue', 0)])).toEqual([1, 1]);
    expect(counts([of('red', 3), of('blue', 0), of('green', 0)])).toEqual([1, 1, 1]);
    expect(counts([of('red', 3, { capacity: 10 }), of('blue', 0), of('green', 0)])).toEqual([1, 1, 1]);
  });

  it('takes all workers from a crawl that has nothing to do, and none when nobody has', () => {
    expect(counts([of('red', 4, { wants: 0 }), of('blue', 0)])).toEqual([0, 4]);
    expect(counts([of('red', 4, { wants: 0 }), of('blue', 0, { wants: 0 })])).toEqual([4, 0]);
  });

  it('gives a crawl with one host one worker, and the others the rest', () => {
    expect(counts([of('red', 4, { wants: 1 }), of('blue', 4)])).toEqual([2, 6]);
    expect(counts([of('red', 4, { wants: 1 }), of('blue', 0, { wants: 2 })]).every((n) => n > 0)).toBe(true);
  });

  it('counts the coordinators of one crawl together', () => {
    const loads = [of('red', 2, { id: 'a' }), of('red', 0, { id: 'b' }), of('blue', 0)];
    expect(counts(loads)).toEqual([1, 0, 1]);
  });

  it('leaves alone a crawl whose coordinator fetches itself', () => {
    expect(evenOut([of('red', 1), of('blue', 0, { pinned: true })])).toEqual([]);
  });

  it('leaves no crawl with work without a worker, and moves nobody the second time', () => {
    const any = fc.array(
      fc.record({
        workers: fc.nat(8),
        capacity: fc.integer({ min: 0, max: 4 }),
        wants: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 9 })),
        crawl: fc.constantFrom('red', 'blue', 'green', 'grey'),
      }),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(any, (list) => {
        const loads = list.map((each, n) => ({ ...common, ...each, id: `m${n}` }));
        const after = apply(loads, evenOut(loads));
        expect(after.every(({ workers }) => workers >= 0)).toBe(true);
        const crawls = Object.values(
          Object.groupBy(
            after.filter(({ wants, capacity }) => wants > 0 && capacity > 0),
            ({ crawl }) => crawl,
          ),
        );
        const workers = after.reduce((sum, each) => sum + each.workers, 0);
        if (crawls.length <= workers)
          for (const crawl of crawls) expect(crawl?.some((each) => each.workers > 0)).toBe(true);
        expect(evenOut(after)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
