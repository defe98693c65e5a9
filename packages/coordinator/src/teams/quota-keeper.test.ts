import { type DatedClock, type Pause, WebfarerError } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Registry } from '../registry/registry.ts';
import { openSqliteRegistry } from '../registry/sqlite-registry.ts';
import { type RegistryWatch, watchRegistry } from '../registry/watch-registry.ts';
import { createQuotaKeeper, type MeteredCrawl, type QuotaKeeper } from './quota-keeper.ts';
import { openTeams, type Teams } from './teams.ts';

/** Sleeps end when the test says so. */
let nowMs: number;
let sleepers: (() => void)[];
const clock: DatedClock = {
  now: () => nowMs,
  wall: () => nowMs,
  sleep: (_ms: number, signal?: AbortSignal) =>
    new Promise((resolve, reject) => {
      sleepers.push(resolve);
      signal?.addEventListener('abort', () => reject(new Error('aborted')));
    }),
} as DatedClock;

let registry: Registry;
let watch: RegistryWatch;
let teams: Teams;
let keeper: QuotaKeeper;
const failures: unknown[] = [];

interface Fake extends MeteredCrawl {
  pages: number;
  bytes: number;
  pause: Pause | undefined;
  trouble: Error | undefined;
}
let crawls: Fake[];

function crawl(name: string, team: string): Fake {
  const fake: Fake = {
    id: `id of ${name}`,
    name,
    job: { team },
    ending: false,
    pages: 0,
    bytes: 0,
    pause: undefined,
    trouble: undefined,
    used: async () => {
      if (fake.trouble) throw fake.trouble;
      return { pages: fake.pages, bytes: fake.bytes };
    },
    hold: (pause) => {
      fake.pause = pause;
    },
  };
  crawls.push(fake);
  return fake;
}

beforeEach(() => {
  nowMs = Date.UTC(2026, 10, 16, 12);
  sleepers = [];
  crawls = [];
  failures.length = 0;
  registry = openSqliteRegistry({ path: ':memory:', clock });
  watch = watchRegistry({ registry, clock, failed: (error) => failures.push(error) });
  teams = openTeams({
    registry,
    watch,
    clock,
    isActive: async () => true,
    isOpen: () => true,
    standing: true,
  });
  keeper = createQuotaKeeper({ teams, clock, crawls: () => crawls, failed: (error) => failures.push(error) });
});
afterEach(async () => {
  await keeper.stop();
  await watch.stop();
  await registry.close();
  expect(failures).toEqual([]);
});

const isNew = async () => true;
const describeTeam = (quotas: object) => teams.put('red', { note: '', weight: 1, quotas });
/** One look at all crawls, after it has heard of what was written. */
async function look(): Promise<void> {
  await watch.look();
  for (const one of crawls) await keeper.look(one);
}

it('holds all crawls of a team whose quota is used up, until it is raised', async () => {
  await describeTeam({ pagesPerDay: 100 });
  const [a, b, other] = [crawl('a', 'red'), crawl('b', 'red'), crawl('c', 'blue')];
  for (const { name } of [a, b])
    await teams.claim({ team: 'red', crawl: name, seeds: [], wasOpen: false, isNew });
  a.pages = 60;
  b.pages = 39;
  await look();
  expect(crawls.map(({ pause }) => pause)).toEqual([undefined, undefined, undefined]);
  b.pages = 45;
  other.pages = 1_000;
  await look();
  await look();
  expect(a.pause).toEqual({
    cause: 'quota',
    text: 'the team red has fetched 105 of 100 pages today. It resumes at 2026-11-17 00:00 UTC, or when an admin raises pagesPerDay',
    retryInMs: 12 * 3_600_000,
  });
  expect([b.pause, other.pause]).toEqual([a.pause, undefined]);
  await describeTeam({ pagesPerDay: 200 });
  await look();
  expect([a.pause, b.pause]).toEqual([undefined, undefined]);
});

it('lets them continue on the next day, and when the team has no quotas any more', async () => {
  await describeTeam({ bytesPerDay: 1_000 });
  const a = crawl('a', 'red');
  await teams.claim({ team: 'red', crawl: 'a', seeds: [], wasOpen: false, isNew });
  a.bytes = 1_000;
  await look();
  expect(a.pause?.cause).toBe('quota');
  nowMs += 12 * 3_600_000;
  await look();
  expect(a.pause).toBeUndefined();
  a.bytes = 2_000;
  await look();
  expect(a.pause?.cause).toBe('quota');
  await teams.remove('red');
  await look();
  expect(a.pause).toBeUndefined();
});

it('looks at all crawls by itself, and passes over one that was deleted', async () => {
  await describeTeam({ pagesPerMonth: 10 });
  const [a, gone] = [crawl('a', 'red'), crawl('gone', 'red')];
  gone.trouble = new WebfarerError('not-found', 'there is no such crawl');
  await teams.claim({ team: 'red', crawl: 'a', seeds: [], wasOpen: false, isNew });
  a.pages = 12;
  await expect
    .poll(() => {
      for (const wake of sleepers.splice(0)) wake();
      return a.pause?.text;
    })
    .toContain('12 of 10 pages this month');
  expect(gone.pause).toEqual(a.pause);
});

it('looks sooner near the end of a quota, so that little is fetched beyond it', async () => {
  await describeTeam({ pagesPerDay: 50 });
  await watch.look();
  await teams.claim({ team: 'red', crawl: 'quick', seeds: [], wasOpen: false, isNew });
  const quick = crawl('quick', 'red');
  const asleep: { ms: number; wake: () => void }[] = [];
  const sleep: DatedClock['sleep'] = (ms, signal) =>
    new Promise((resolve, reject) => {
      asleep.push({ ms, wake: resolve });
      signal?.addEventListener('abort', () => {
        asleep.length = 0;
        reject(new Error('aborted'));
      });
    });
  const own = createQuotaKeeper({
    teams,
    clock: { ...clock, sleep },
    crawls: () => [quick],
    failed: (error) => failures.push(error),
  });
  const beganMs = nowMs;
  let looks = 0;
  try {
    await own.look(quick);
    for (; quick.pause === undefined && looks < 200; looks++) {
      await expect.poll(() => asleep.length, { interval: 1, timeout: 30_000 }).toBe(1);
      const [next] = asleep.splice(0);
      nowMs += next?.ms ?? 0;
      // Ten pages a second.
      quick.pages = Math.floor((nowMs - beganMs) / 100);
      next?.wake();
      await expect.poll(() => asleep.length, { interval: 1, timeout: 30_000 }).toBe(1);
    }
  } finally {
    await own.stop();
  }
  expect(quick.pause?.text).toContain('50 pages today');
  expect(quick.pages).toBeGreaterThanOrEqual(50);
  expect(quick.pages).toBeLessThanOrEqual(53);
  // Not all the time.
  expect(looks).toBeLessThan(15);
});
