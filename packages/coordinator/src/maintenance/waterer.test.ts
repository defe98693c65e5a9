import { describe, expect, it } from 'vitest';
import { testClock } from '../frontier/suite/clock.fixture.ts';
import { member } from '../members/membership.suite.ts';
import { createWaterer } from './waterer.ts';

describe('dry and water between coordinators', () => {
  it('says for a while that it is dry, and how much it lacks', () => {
    const clock = testClock();
    const waterer = createWaterer({ id: 'a', crawl: () => 'x', clock });
    const rich = [member('b', { workers: 1, hosts: 50 })];
    expect(waterer.thirst()).toBe(0);
    expect(waterer.stillDry(rich, { workers: 1, hosts: 0 }, 10)).toBe(true);
    expect(waterer.thirst()).toBe(10);
    waterer.stillDry(rich, { workers: 1, hosts: 0 }, 60);
    expect(waterer.thirst()).toBe(25);
    clock.advance(3_000);
    expect(waterer.thirst()).toBe(0);
  });

  it('is not dry with most of an even share, nor where nobody has anything', () => {
    const waterer = createWaterer({ id: 'a', crawl: () => 'x', clock: testClock() });
    const rich = [member('b', { workers: 1, hosts: 40 })];
    expect(waterer.stillDry(rich, { workers: 1, hosts: 24 }, 10)).toBe(false);
    expect(waterer.stillDry([member('b', { workers: 3 })], { workers: 1, hosts: 0 }, 10)).toBe(false);
    expect(waterer.stillDry([], { workers: 2, hosts: 1 }, 10)).toBe(false);
    expect(waterer.thirst()).toBe(0);
  });

  it('asks for half of what one worker holds when another one has nothing', () => {
    const clock = testClock();
    const waterer = createWaterer({ id: 'a', crawl: () => 'x', clock });
    const dry = member('b', { workers: 1, hosts: 0, thirst: 25 });
    const own = { workers: 1, hosts: 50 };
    expect(waterer.wantedOf([member('a'), dry], own)).toBe(25);
    // It is on its way.
    expect(waterer.wantedOf([member('a'), dry], own)).toBe(0);
    clock.advance(2_000);
    expect(waterer.wantedOf([member('a'), { ...dry, thirst: 8 }], own)).toBe(8);
    clock.advance(2_000);
    expect(waterer.wantedOf([member('a'), { ...dry, thirst: 200 }], own)).toBe(25);
    expect(waterer.elsewhere([member('a'), dry])).toEqual({ dry: true, hosts: 0, workers: 1 });
  });

  it('asks nobody who has no more than an even share, and nobody for its own thirst', () => {
    const waterer = createWaterer({ id: 'a', crawl: () => 'x', clock: testClock() });
    const dry = member('b', { workers: 1, hosts: 0, thirst: 25 });
    expect(waterer.wantedOf([dry, member('c', { workers: 1, hosts: 40 })], { workers: 2, hosts: 10 })).toBe(
      0,
    );
    expect(waterer.wantedOf([member('a', { thirst: 9 })], { workers: 1, hosts: 50 })).toBe(0);
    expect(waterer.wantedOf([dry], { workers: 0, hosts: 0 })).toBe(0);
  });

  it('shares what is wanted among those who have too much', () => {
    const dry = member('d', { workers: 2, hosts: 0, thirst: 30 });
    const rich = [member('a', { workers: 1, hosts: 30 }), member('b', { workers: 1, hosts: 60 })];
    const asked = rich.map(({ id, workers, hosts }) =>
      createWaterer({ id, crawl: () => 'x', clock: testClock() }).wantedOf([...rich, dry], {
        workers,
        hosts,
      }),
    );
    // Even is 22.5 a worker: 7 and 37 are above it.
    expect(asked).toEqual([5, 26]);
  });
});
