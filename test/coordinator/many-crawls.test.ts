import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Coordinator, type CoordinatorOptions, openCoordinator } from '@webfarer/coordinator';
import { systemClock, type WorkerId } from '@webfarer/protocol';
import { type OpenWorker, openWorker } from '@webfarer/worker';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type SmallSite, startSmallSite } from '../library/small-site.ts';
import { redisForFile } from '../redis/for-file.ts';

const redis = redisForFile();
/** Each waits for the disk of its store with every page. */
const slow = { timeout: 120_000 };
const gapMs = 20;
let folder: string;
let sites: SmallSite[];
const open: { stop(): Promise<void> }[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-coordinator-'));
  const links = Array.from({ length: 8 }, (_, i) => `<a href="/${i}">${i}</a>`).join('');
  const pages = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`/${i}`, links]));
  sites = await Promise.all([1, 2, 3].map(() => startSmallSite({ '/': links, ...pages })));
});
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
  for (const site of sites) await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function coordinatorIn(name: string, options: Partial<CoordinatorOptions> = {}): Promise<Coordinator> {
  const coordinator = await openCoordinator({ folder: join(folder, name), version: '0', ...options });
  open.push(coordinator);
  return coordinator;
}

async function workerOf({ connect }: Coordinator, id: string): Promise<OpenWorker> {
  const worker = openWorker({
    link: { kind: 'in-process', connect },
    id: id as WorkerId,
    version: '0',
    folder: join(folder, id),
    baseFolder: folder,
    connections: 4,
    clock: systemClock(),
    random: Math.random,
  });
  open.push(worker);
  await worker.start();
  return worker;
}

/** A crawl of some of the sites; the first is shared by all. */
const job = (name: string, ...of: number[]) => ({
  input: {
    name,
    seeds: of.map((i) => `${sites[i]?.origin}/`),
    politeness: { gap: `${gapMs}ms`, slowFactor: 0 },
    fetch: { allowPrivate: sites.map(({ origin }) => origin) },
    limits: { minFree: '1MB' },
    save: ['none'],
  },
  baseFolder: folder,
});

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
