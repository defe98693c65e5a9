import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostLease, WorkerId } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { redisForFile } from '../../../../test/redis/for-file.ts';
import { openCoordinator } from '../coordinator.ts';
import type { Coordinator } from '../coordinator-parts.ts';
import { untouched } from './requests.ts';

const redis = redisForFile({ settings: { appendonly: 'no' } });
const slow = { timeout: 120_000 };
/** Requests of each worker. */
const rounds = 60;
/** More than all workers hold at once, so that no crawl ever lacks one. */
const hostsOfCrawl = 80;
const soon = { timeout: 60_000, interval: 50 };
let folder: string;
const open: Coordinator[] = [];
let named = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-shares-'));
});
afterEach(async () => {
  for (const coordinator of open.splice(0)) await coordinator.stop({ now: true });
  rmSync(folder, { recursive: true, force: true });
});

async function coordinatorsOn(store: string | undefined, ids: string[]): Promise<Coordinator[]> {
  for (const id of ids)
    open.push(
      await openCoordinator({
        folder: join(folder, id),
        version: '0',
        id,
        ...(store === undefined ? {} : { store: { url: store, durability: 'available', insecure: false } }),
      }),
    );
  return [...open];
}

/** One crawl of red and three of blue, each with hosts enough for all workers, served by every coordinator. */
async function crawlAll(coordinators: Coordinator[], weights: Record<string, number>): Promise<void> {
  const [first] = coordinators as [Coordinator];
  for (const [team, weight] of Object.entries(weights))
    await first.teams.put(team, { note: '', weight, quotas: {} });
  const names: string[] = [];
  for (const team of ['red', 'blue', 'blue', 'blue']) {
    const name = `${team}-${named++}`;
    const seeds = Array.from({ length: hostsOfCrawl }, (_, n) => `http://h${n}.${name}.test/`);
    names.push(name);
    await first.create({ input: { name, team, seeds, limits: { minFree: '1MB' } }, baseFolder: folder });
  }
  for (const one of coordinators) {
    if (one !== first) await one.start();
    for (const name of names) await expect.poll(() => one.crawl(name)?.state, soon).toBe('running');
    for (const [team, weight] of Object.entries(weights))
      await expect.poll(() => one.teams.weightOf(team), soon).toBe(weight);
  }
}

function workerOf(coordinator: Coordinator, id: string) {
  const nothing = () => undefined;
  const orders = {
    wake: nothing,
    release: nothing,
    releaseHosts: nothing,
    water: nothing,
    crawls: nothing,
    crawlNews: nothing,
    deleted: nothing,
    peers: nothing,
    switch: nothing,
    drain: nothing,
  };
  const look = () => ({ inFlight: 0, waiting: [], written: [] });
  const worker = id as WorkerId;
  const { link } = coordinator.connect({
    id: worker,
    connections: 10,
    orders,
    look,
    isToldAsLeased: false,
    keeps: () => [],
    closeCrawl: () => Promise.resolve(),
  });
  let held: HostLease[] = [];
  const teamOf = new Map(
    coordinator.crawls().map(({ id: crawl, name }) => [crawl, name.split('-')[0] ?? '']),
  );
  return {
    /** Asks for hosts and gives back those of the time before, so that there is always enough to do. */
    async ask(hosts: number, counts: Record<string, number>): Promise<void> {
      const { leases } = await link.lease({ worker, hosts, urlsPerHost: 1 });
      for (const { crawl } of leases) {
        const team = teamOf.get(crawl) ?? 'none';
        counts[team] = (counts[team] ?? 0) + 1;
      }
      if (held.length > 0) await link.report(held.map(untouched));
      held = leases;
    },
    leave: async () => void (await link.report(held.map(untouched))),
  };
}

/** Which part of all leases red was granted, once by many small requests and some large ones. */
async function shareOfRed(coordinators: Coordinator[]): Promise<number> {
  // The first coordinator has two workers, the others one: shares must not depend on where workers are.
  const places = [coordinators[0] as Coordinator, ...coordinators];
  const workers = places.map((place, n) => workerOf(place, `w${n}`));
  const counts: Record<string, number> = {};
  for (let round = 0; round < rounds; round++)
    for (const worker of workers) await worker.ask([1, 2, 3, 8][round % 4] as number, counts);
  for (const worker of workers) await worker.leave();
  const [red = 0, blue = 0] = [counts['red'], counts['blue']];
  // Otherwise it was not the shares that decided.
  expect(red + blue).toBeGreaterThan(rounds * 3 * workers.length);
  return red / (red + blue);
}

const near = (share: number) => [share - 0.04, share + 0.04] as const;
function expectNear(found: number, share: number): void {
  const [least, most] = near(share);
  expect(found).toBeGreaterThan(least);
  expect(found).toBeLessThan(most);
}

it(
  'a team with three times the weight is granted three times the leases, of however many crawls',
  slow,
  async () => {
    const coordinators = await coordinatorsOn(undefined, ['a']);
    await crawlAll(coordinators, { red: 3, blue: 1 });
    expectNear(await shareOfRed(coordinators), 3 / 4);
  },
);

it('without weights both teams are granted the same', slow, async () => {
  const coordinators = await coordinatorsOn(undefined, ['a']);
  await crawlAll(coordinators, { red: 1, blue: 1 });
  expectNear(await shareOfRed(coordinators), 1 / 2);
});

it('weights hold on two coordinators of one store, together', slow, async () => {
  const coordinators = await coordinatorsOn((await redis()).url, ['a', 'b']);
  await crawlAll(coordinators, { red: 3, blue: 1 });
  expectNear(await shareOfRed(coordinators), 3 / 4);
  for (const team of ['red', 'blue'])
    await coordinators[0]?.teams.put(team, { note: '', weight: 1, quotas: {} });
  for (const one of coordinators) await expect.poll(() => one.teams.weightOf('red'), soon).toBe(1);
  expectNear(await shareOfRed(coordinators), 1 / 2);
});
