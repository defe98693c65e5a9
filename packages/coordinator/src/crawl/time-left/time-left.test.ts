import type { HostKey } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import { testClock } from '../../frontier/suite/clock.fixture.ts';
import { createTimeLeft, type TimeLeftRange } from './time-left.ts';

/** A site: how many new URLs its nth page links to. */
interface SimulatedHost {
  name: string;
  seeds: number;
  links(page: number): number;
}

interface Simulation {
  hosts: SimulatedHost[];
  gapMs: number;
  /** Pages a second, over all hosts. */
  perSecond: number;
  forMs?: number;
  limits?: { pages?: number; durationMs?: number };
}

interface Seen extends TimeLeftRange {
  atMs: number;
}

/** Crawls without a network; looks twice a second, as a view does. `endMs` is undefined where it did not end. */
function crawl({ hosts, gapMs, perSecond, forMs = 3_600_000, limits = {} }: Simulation) {
  const clock = testClock(0);
  const left = createTimeLeft({
    clock,
    limits: () => limits,
    elapsedMs: () => clock.now(),
    gapMs: () => gapMs,
  });
  const queues = hosts.map((host) => ({ host, queued: host.seeds, page: 0, dueMs: 0 }));
  const stepMs = 1_000 / perSecond;
  const looks: Seen[] = [];
  let known = hosts.reduce((sum, { seeds }) => sum + seeds, 0);
  let settled = 0;
  let next = 0;
  while (clock.now() < forMs && settled < known && settled < (limits.pages ?? Infinity)) {
    const turn = queues.findIndex(({ queued, dueMs }, n) => n >= next && queued > 0 && dueMs <= clock.now());
    const due = queues[turn] ?? queues.find(({ queued, dueMs }) => queued > 0 && dueMs <= clock.now());
    next = turn < 0 ? 0 : (turn + 1) % queues.length;
    if (due) {
      const found = due.host.links(due.page++);
      due.queued += found - 1;
      due.dueMs = clock.now() + gapMs;
      known += found;
      settled++;
    }
    clock.advance(stepMs);
    if (Math.floor(clock.now() / 500) === Math.floor((clock.now() - stepMs) / 500)) continue;
    const withWork = queues.filter(({ queued }) => queued > 0);
    const balance = { known, queued: known - settled, leased: 0, done: settled, failed: 0, refused: 0 };
    const waiting = withWork
      .toSorted((a, b) => a.dueMs - b.dueMs)
      .slice(0, 3)
      .map(({ host, queued }) => ({ host: host.name as HostKey, queued }));
    looks.push({ atMs: clock.now(), ...left.estimate({ balance, hostsQueued: withWork.length, waiting }) });
  }
  return { looks, endMs: settled === known ? clock.now() : undefined };
}

const told = (looks: Seen[]) => looks.filter(({ leftMs }) => leftMs !== undefined);
/** Looks at which the true end lies within the range, or not further from it than this share of the time left. */
function right(looks: Seen[], endMs: number, tolerance: number): number {
  return told(looks).filter(({ atMs, leftMs = 0, leftToMs = leftMs }) => {
    const trueMs = endMs - atMs;
    return trueMs >= leftMs * (1 - tolerance) - 2_000 && trueMs <= leftToMs * (1 + tolerance) + 2_000;
  }).length;
}

const flat = (name: string, seeds: number): SimulatedHost => ({ name, seeds, links: () => 0 });
const chain = (name: string): SimulatedHost => ({ name, seeds: 1, links: () => 1 });

describe('a crawl that only empties its queue', () => {
  const { looks, endMs = 0 } = crawl({ hosts: [flat('a.test', 2_000)], gapMs: 0, perSecond: 20 });

  it('is not told about in the first seconds', () => {
    expect(told(looks)[0]?.atMs).toBeGreaterThan(5_000);
  });

  it('is foretold within a tenth, all the time', () => {
    expect(told(looks).length).toBeGreaterThan(looks.length * 0.8);
    expect(right(looks, endMs, 0.1)).toBe(told(looks).length);
  });
});

describe('a tree that grows and then shrinks', () => {
  // Each of the first 600 pages links to three more, a few of the next to one more, and the rest to none.
  const tree = {
    name: 'a.test',
    seeds: 1,
    links: (page: number) => (page < 600 ? 3 : page < 1_200 && page % 4 === 0 ? 1 : 0),
  };
  const { looks, endMs = 0 } = crawl({ hosts: [tree], gapMs: 0, perSecond: 10 });

  it('cannot be told about while it grows', () => {
    expect(told(looks.filter(({ atMs }) => atMs < 59_000))).toEqual([]);
  });

  it('is foretold once it shrinks', () => {
    const late = looks.filter(({ atMs }) => atMs > 130_000);
    expect(told(late).length).toBeGreaterThan(late.length * 0.9);
    expect(right(late, endMs, 0.15)).toBeGreaterThan(told(late).length * 0.9);
  });
});

describe('an endless chain', () => {
  it.each([
    { gapMs: 0, perSecond: 20 },
    { gapMs: 1_000, perSecond: 4 },
    { gapMs: 10_000, perSecond: 2 },
  ])('is never given an end: %o', (pace) => {
    const { looks } = crawl({ hosts: [chain('a.test')], ...pace, forMs: 600_000 });
    expect(looks.length).toBeGreaterThan(1_000);
    expect(told(looks)).toEqual([]);
  });

  it('that is left over from a large crawl is never said to end in a moment', () => {
    const hosts = [...Array.from({ length: 20 }, (_, n) => flat(`h${n}.test`, 100)), chain('chain.test')];
    const { looks, endMs } = crawl({ hosts, gapMs: 1_000, perSecond: 40, forMs: 400_000 });
    expect(endMs).toBeUndefined();
    expect(told(looks).length).toBeGreaterThan(20);
    expect(Math.min(...told(looks).map(({ leftToMs = 0 }) => leftToMs))).toBeGreaterThanOrEqual(15_000);
    expect(told(looks.filter(({ atMs }) => atMs > 200_000))).toEqual([]);
  });

  it('ends at a limit at the latest', () => {
    const { looks } = crawl({ hosts: [chain('a.test')], gapMs: 0, perSecond: 10, limits: { pages: 1_000 } });
    const { atMs, leftMs = 0, leftAtMost } = looks.at(100) as Seen;
    expect(leftAtMost).toBe(true);
    expect(Math.abs(atMs + leftMs - 100_000)).toBeLessThan(2_000);
    const timed = crawl({
      hosts: [chain('a.test')],
      gapMs: 0,
      perSecond: 10,
      forMs: 9_000,
      limits: { durationMs: 60_000 },
    });
    expect(timed.looks.at(-1)).toMatchObject({ leftMs: 51_000, leftAtMost: true });
  });
});

describe('many slow hosts', () => {
  // All but one are soon done; that one has 300 pages, one in two seconds.
  const hosts = [...Array.from({ length: 200 }, (_, n) => flat(`h${n}.test`, 5)), flat('long.test', 300)];
  const { looks, endMs = 0 } = crawl({ hosts, gapMs: 2_000, perSecond: 100 });

  it('take as long as the longest queue, not as long as the speed of the beginning promises', () => {
    expect(endMs).toBeGreaterThan(590_000);
    const early = told(looks.filter(({ atMs }) => atMs < 60_000));
    expect(early.length).toBeGreaterThan(50);
    for (const { atMs, leftMs = 0 } of early) expect(atMs + leftMs).toBeGreaterThan(500_000);
    expect(right(looks, endMs, 0.15)).toBeGreaterThan(told(looks).length * 0.95);
  });
});

it('is certain of a limit that the queue reaches', () => {
  const { looks } = crawl({
    hosts: [flat('a.test', 5_000)],
    gapMs: 0,
    perSecond: 10,
    limits: { pages: 500 },
  });
  const { leftMs = 0, leftAtMost, atMs } = looks.at(60) as Seen;
  expect(leftAtMost).toBeUndefined();
  expect(Math.abs(atMs + leftMs - 50_000)).toBeLessThan(1_500);
});

it('says nothing of a limit that is far off', () => {
  const { looks } = crawl({
    hosts: [chain('a.test')],
    gapMs: 1_000,
    perSecond: 1,
    forMs: 20_000,
    limits: { pages: 5_000, durationMs: 43_200_000 },
  });
  expect(looks.length).toBeGreaterThan(10);
  expect(told(looks)).toEqual([]);
});

it('forgets what it saw before a pause', () => {
  const clock = testClock(0);
  const left = createTimeLeft({ clock, limits: () => ({}), elapsedMs: () => 0, gapMs: () => 0 });
  const look = (settled: number) =>
    left.estimate({
      balance: { known: 1_000, queued: 1_000 - settled, leased: 0, done: settled, failed: 0, refused: 0 },
      hostsQueued: 1,
      waiting: [],
    });
  for (let n = 0; n < 40; n++) {
    look(n * 10);
    clock.advance(1_000);
  }
  expect(look(400).leftMs).toBeGreaterThan(0);
  left.reset();
  expect(look(400)).toEqual({});
});
