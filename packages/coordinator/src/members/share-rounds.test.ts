import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Member } from './membership.ts';
import { member } from './membership.suite.ts';
import { createShareRounds, type ShareRounds } from './share-rounds.ts';

/** Coordinators that see each other's words late, each at its own pace, and workers that do as they are told. */
class World {
  readonly said = new Map<string, Member>();
  readonly rounds = new Map<string, ShareRounds>();
  readonly workers = new Map<string, number>();
  readonly settled = new Map<string, boolean>();
  moved = 0;
  nowMs = 0;

  join(id: string, workers: number, more: Partial<Member> = {}): void {
    this.said.set(id, member(id, more));
    this.rounds.set(id, createShareRounds(id));
    this.workers.set(id, workers);
  }

  die(id: string): void {
    this.said.delete(id);
    this.rounds.delete(id);
  }

  step(id: string): void {
    const own = this.said.get(id);
    if (!own) return;
    const members = [...this.said.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    const workers = this.workers.get(id) ?? 0;
    const { rounds, recounts, flows, settled } = (this.rounds.get(id) as ShareRounds).look(members, {
      workers,
      wants: own.wants,
      nowMs: this.nowMs,
    });
    this.said.set(id, { ...own, rounds, recounts, workers });
    this.settled.set(id, settled);
    for (const { to, count } of flows) {
      this.moved += count;
      this.workers.set(id, (this.workers.get(id) ?? 0) - count);
      this.workers.set(to, (this.workers.get(to) ?? 0) + count);
    }
  }

  /** Everybody looks so often, in the order given by numbers. */
  run(order: (n: number) => number, steps = 400): void {
    const ids = [...this.said.keys()];
    for (let n = 0; n < steps; n++) {
      this.nowMs += 100;
      this.step(ids[order(n) % ids.length] as string);
    }
    // Whoever was left out looks in the end.
    for (let n = 0; n < 20; n++) {
      this.nowMs += 1_000;
      for (const id of ids) this.step(id);
    }
  }

  counts(): number[] {
    return [...this.said.keys()].sort().map((id) => this.workers.get(id) ?? 0);
  }
}

describe('sharing out workers', () => {
  it('gives a newcomer its share with as few switches as needed, in whatever order they look', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100), { minLength: 40, maxLength: 40 }), (order) => {
        const world = new World();
        for (const id of ['a', 'b', 'c']) world.join(id, 20);
        world.run((n) => n);
        expect(world.moved).toBe(0);
        world.join('d', 0);
        world.run((n) => (order[n % 40] as number) + n);
        expect(world.counts().toSorted((a, b) => a - b)).toEqual([14, 15, 15, 16]);
        expect(world.moved).toBe(14);
      }),
      { numRuns: 50 },
    );
  });

  it('empties who leaves, and evens out what a dead one leaves behind', () => {
    const world = new World();
    for (const id of ['a', 'b', 'c', 'd']) world.join(id, 10);
    world.run((n) => n);
    world.said.set('a', { ...(world.said.get('a') as Member), leaving: true });
    world.run((n) => n);
    expect(world.workers.get('a')).toBe(0);
    world.die('a');
    // All workers of b found the same new place.
    world.workers.set('c', (world.workers.get('c') ?? 0) + (world.workers.get('b') ?? 0));
    world.die('b');
    world.run((n) => n);
    expect(Math.abs((world.workers.get('c') ?? 0) - 20)).toBeLessThanOrEqual(1);
    expect([...world.said.keys()].every((id) => world.settled.get(id))).toBe(true);
  });

  it('waits for one that has not counted yet', () => {
    const world = new World();
    world.join('a', 10);
    world.join('b', 0);
    for (let n = 0; n < 50; n++) {
      world.nowMs += 100;
      world.step('a');
    }
    expect(world.moved).toBe(0);
    world.step('b');
    world.step('a');
    expect(world.moved).toBeGreaterThanOrEqual(4);
  });

  it('counts again where workers did not do as they were told, but not for ever', () => {
    const world = new World();
    world.join('a', 30);
    world.join('b', 0);
    let lost = 0;
    for (let n = 0; n < 400; n++) {
      world.nowMs += 100;
      world.step('a');
      world.step('b');
      // They come back at once.
      lost += world.workers.get('b') ?? 0;
      world.workers.set('a', 30);
      world.workers.set('b', 0);
    }
    expect(lost).toBe(world.moved);
    // Four rounds for the members as they are, then a recount after 0.6, 1.2, 2.4 s and so on.
    expect(world.moved).toBeLessThanOrEqual(6 * 4 * 15);
  });

  it('follows capacity', () => {
    const world = new World();
    world.join('a', 0, { capacity: 3 });
    world.join('b', 40);
    world.run((n) => n);
    expect(Math.abs((world.workers.get('a') ?? 0) - 30)).toBeLessThanOrEqual(1);
  });
});

/** Each serves a crawl of its own. */
function crawls(counts: number[], more: Partial<Member> = {}): World {
  const world = new World();
  for (const [n, workers] of counts.entries()) world.join(`m${n}`, workers, { crawl: `c${n}`, ...more });
  return world;
}

/** Time that each was without a worker at a stretch, at most. */
function longestWithout(world: World, steps: number): number[] {
  const ids = [...world.said.keys()];
  const lastMs = new Map(ids.map((id) => [id, world.nowMs]));
  const longest = new Map(ids.map((id) => [id, 0]));
  for (let n = 0; n < steps; n++) {
    world.nowMs += 250;
    for (const id of ids) world.step(id);
    for (const id of ids) {
      if ((world.workers.get(id) ?? 0) > 0) lastMs.set(id, world.nowMs);
      longest.set(id, Math.max(longest.get(id) ?? 0, world.nowMs - (lastMs.get(id) ?? 0)));
    }
  }
  return [...longest.values()];
}

describe('sharing out workers by demand', () => {
  it('gives the second crawl of a store one of two workers', () => {
    const world = crawls([2, 0]);
    world.run((n) => n);
    expect(world.counts()).toEqual([1, 1]);
  });

  it('counts anew when workers come to one that has enough', () => {
    const world = crawls([1, 1]);
    world.run((n) => n);
    world.workers.set('m0', 7);
    world.run((n) => n);
    expect(Math.abs((world.workers.get('m0') ?? 0) - 4)).toBeLessThanOrEqual(1);
  });

  it('moves all workers away from a crawl without work, and back when it has some again', () => {
    const world = crawls([2, 2]);
    const first = world.said.get('m0') as Member;
    world.run((n) => n);
    world.said.set('m0', { ...first, wants: 0 });
    world.run((n) => n);
    expect(world.counts()).toEqual([0, 4]);
    world.said.set('m0', { ...first, wants: 9 });
    world.run((n) => n);
    expect(world.workers.get('m0')).toBeGreaterThan(0);
  });

  it('lets too few workers take turns, so that no crawl waits for long', () => {
    for (const [members, workers] of [
      [2, 1],
      [3, 2],
      [5, 2],
      [5, 4],
    ] as const) {
      const world = crawls(Array.from({ length: members }, (_, n) => (n === 0 ? workers : 0)));
      expect(Math.max(...longestWithout(world, 200))).toBeLessThanOrEqual(4_500);
    }
  });

  it('gives the others their turns while one cannot be reached', () => {
    const world = crawls([1, 0, 0]);
    const without = new Map([
      ['m0', 0],
      ['m1', 0],
    ]);
    for (let n = 0; n < 200; n++) {
      world.nowMs += 250;
      for (const id of world.said.keys()) world.step(id);
      // Workers sent there stay where they were.
      if (world.workers.get('m2') === 1) {
        world.workers.set('m2', 0);
        world.workers.set(n % 2 === 0 ? 'm0' : 'm1', 1);
      }
      for (const [id, steps] of without) without.set(id, world.workers.get(id) ? 0 : steps + 1);
      for (const steps of without.values()) expect(steps * 250).toBeLessThan(10_000);
    }
  });
});
