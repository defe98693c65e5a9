import { beforeEach, expect, test } from 'vitest';
import type { SmallSite } from '../library/small-site.ts';
import { redisForFile } from '../redis/for-file.ts';
import { coordinatorStage, gapMs } from './parts.fixture.ts';

const redis = redisForFile();
const stage = coordinatorStage();
const { coordinatorIn, workerOf } = stage;
/** Each waits for the disk of its store with every page. */
const slow = { timeout: 120_000 };
let sites: SmallSite[];

beforeEach(async () => {
  sites = await Promise.all([1, 2, 3].map(() => stage.siteOf(8)));
});

/** A crawl of some of the sites; the first is shared by all. */
const job = (name: string, ...of: number[]) =>
  stage.job(
    name,
    of.map((i) => sites[i] as SmallSite),
  );

/** Requests for pages, without robots.txt. */
const pagesOf = (site: SmallSite | undefined) =>
  (site?.asked ?? []).filter((path) => !path.includes('robots'));

function smallestGapMs({ log }: SmallSite): number {
  return Math.min(...log.slice(1).map(({ atMs }, i) => atMs - (log[i]?.atMs ?? 0)));
}

test('a coordinator on a folder runs two crawls at once, each whole and polite to the other', async () => {
  const coordinator = await coordinatorIn('data');
  const a = await coordinator.create(job('a', 0, 1));
  const b = await coordinator.create(job('b', 0, 2));
  await workerOf(coordinator, 'w');
  const ends = await Promise.all([a.crawl.ended, b.crawl.ended]);
  expect(ends.map(({ state, balance }) => [state, balance.done])).toEqual([
    ['finished', 18],
    ['finished', 18],
  ]);
  expect(sites.map((site) => pagesOf(site).length)).toEqual([18, 9, 9]);
  for (const site of sites) {
    expect(smallestGapMs(site)).toBeGreaterThanOrEqual(gapMs - 2);
    expect(Math.max(...site.log.map(({ inFlight }) => inFlight))).toBe(1);
  }
});

test('on one Redis store it runs two crawls at once', slow, async () => {
  const { url } = await redis();
  const store = { url, durability: 'available', insecure: false } as const;
  const coordinator = await coordinatorIn('data', { store, id: 'c1' });
  const a = await coordinator.create(job('ra', 0, 1));
  const b = await coordinator.create(job('rb', 0, 2));
  await workerOf(coordinator, 'w');
  const ends = await Promise.all([a.crawl.ended, b.crawl.ended]);
  expect(ends.map(({ state, balance }) => [state, balance.done])).toEqual([
    ['finished', 18],
    ['finished', 18],
  ]);
  expect(sites.map((site) => pagesOf(site).length)).toEqual([18, 9, 9]);
  for (const site of sites) expect(smallestGapMs(site)).toBeGreaterThanOrEqual(gapMs - 2);
});

test('three coordinators of a store run the same two crawls together', slow, async () => {
  const { url } = await redis();
  const store = { url, durability: 'available', insecure: false } as const;
  const all = await Promise.all(['c1', 'c2', 'c3'].map((id) => coordinatorIn(id, { store, id })));
  const crawls = [];
  for (const coordinator of all)
    for (const spec of [job('ta', 0, 1), job('tb', 0, 2)])
      crawls.push((await coordinator.create(spec)).crawl);
  for (const [i, coordinator] of all.entries()) await workerOf(coordinator, `w${i}`);
  const ends = await Promise.all(crawls.map(({ ended }) => ended));
  expect(ends.map(({ state, balance }) => `${state} ${balance.done}`)).toEqual(
    crawls.map(() => 'finished 18'),
  );
  expect(sites.map((site) => pagesOf(site).length)).toEqual([18, 9, 9]);
  for (const site of sites) expect(smallestGapMs(site)).toBeGreaterThanOrEqual(gapMs - 2);
});
