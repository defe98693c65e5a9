import { type CrawlId, type HostKey, type HostLease, systemClock, type WorkerId } from '@webfarer/protocol';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import { crawlNumbers, leftKeys, type Traces } from '../../../../../test/redis/left-keys.ts';
import type { RedisServers } from '../../../../../test/redis/servers.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import { newEntry } from '../../catalog/catalog.suite.ts';
import { openStore, type RedisStore } from '../../redis/store.ts';
import { offerOf, outcome, quiet, settings } from '../suite/world.fixture.ts';
import { eraseCrawls } from './erasing.ts';
import { openRedisFrontier, type RedisFrontier } from './redis-frontier.ts';

const cluster = redisForFile({ primaries: 3, replicasEach: 1, settings: { appendonly: 'no' } });
const clock = systemClock();
const worker = 'w' as WorkerId;
const hosts = Array.from({ length: 40 }, (_, n) => `h${n}.test` as HostKey);
const stays = 'stays' as CrawlId;

let servers: RedisServers;
let stores: RedisStore[];
/** Two coordinators. */
let here: RedisFrontier;
let there: RedisFrontier;
let crawls = 0;

beforeAll(async () => {
  servers = await cluster();
  stores = await Promise.all([1, 2].map(() => openStore({ url: servers.url, replicas: 1, clock })));
  const opened = await Promise.all(stores.map((store) => openRedisFrontier({ store, clock, groups: 16 })));
  [here, there] = opened as [RedisFrontier, RedisFrontier];
  await create(stays);
});

afterAll(async () => {
  await here.close();
  await there.close();
});

async function create(id: string): Promise<CatalogEntry> {
  const { entry } = await here.catalog.create(newEntry(id, { nonce: `nonce-${crawls++}` }));
  await here.openCrawl({ ...settings, id: entry.id, nonce: entry.nonce, gapMs: 0 });
  const offers = hosts.flatMap((host) => [1, 2, 3].map((n) => offerOf(`http://${host}/${n}`)));
  await here.offer(entry.id, offers);
  return entry;
}

async function takeOut({ id, version }: CatalogEntry): Promise<void> {
  expect(await here.catalog.change(id, version, { wanted: 'deleted' })).toMatchObject({ kind: 'changed' });
}

async function tracesOf({ id, nonce }: CatalogEntry, words: string[] = [nonce, id]): Promise<Traces> {
  return { words, number: (await crawlNumbers(servers)).get(id) as string };
}

/** Once replicas have caught up. */
async function nothingLeft(...traces: Traces[]): Promise<void> {
  await expect.poll(async () => (await leftKeys(servers, traces)).flat(), { timeout: 30_000 }).toEqual([]);
}

const leaseOf = async (frontier: RedisFrontier, id: CrawlId, count: number): Promise<HostLease[]> => {
  // A coordinator that has not heard of the crawl yet.
  await frontier.state(id);
  return (await frontier.lease({ worker, hosts: count, urlsPerHost: 1, crawls: [id] })).leases;
};

const reportOf = ({ id, crawl, host, fence, entries }: HostLease) => ({
  id,
  crawl,
  host,
  fence,
  settled: entries.map((entry) => outcome(entry, { offers: [offerOf(`http://${host}/more`)] })),
  news: quiet,
  close: true,
});

beforeEach(async () => {
  await here.releaseAll();
});

it('erases a crawl that others work on: late calls are answered and write nothing', async () => {
  const entry = await create('doomed');
  const { id, nonce } = entry;
  const traces = await tracesOf(entry);
  expect(await leftKeys(servers, [traces]).then(([keys]) => keys?.length)).toBeGreaterThan(100);
  const leases = await leaseOf(there, id, 5);
  expect(leases).toHaveLength(5);
  await takeOut(entry);
  expect(await here.erase([entry])).toBeGreaterThan(100);
  await here.catalog.remove(nonce);
  await nothingLeft(traces);

  expect(await there.renew(leases)).toEqual(leases.map(() => ({ ok: false })));
  const answers = await there.report(leases.map(reportOf));
  expect(answers).toEqual(leases.map(() => ({ ok: false })));
  const later = [
    there.offer(id, [offerOf('http://h1.test/x')]),
    there.setState(id, 'paused'),
    there.openCrawl({ ...settings, id, nonce }),
  ];
  for (const call of await Promise.allSettled(later))
    expect(call).toMatchObject({ status: 'rejected', reason: { code: 'not-found' } });
  await there.sweep();
  expect(await there.drain()).toBe(0);
  await nothingLeft(traces);
  // Its workers have let go of their hosts, so others may have them.
  const { leases: free } = await here.lease({ worker, hosts: 40, urlsPerHost: 1, crawls: [stays] });
  expect(free).toHaveLength(40);
});

it('lets a crawl of the same name begin at once, and takes neither for the other', async () => {
  const old = await create('again');
  const [lease] = await leaseOf(there, old.id, 1);
  const traces = await tracesOf(old, [old.nonce]);
  await takeOut(old);
  const young = await create('again');
  expect(young.nonce).not.toBe(old.nonce);
  const before = await here.balance(young.id);
  expect(await here.erase([old])).toBeGreaterThan(100);
  await here.catalog.remove(old.nonce);
  await nothingLeft(traces);
  expect(await there.report([reportOf(lease as HostLease)])).toEqual([{ ok: false }]);
  await expect(there.openCrawl({ ...settings, id: old.id, nonce: old.nonce })).rejects.toMatchObject({
    code: 'not-found',
  });
  expect(await here.balance(young.id)).toEqual(before);
  // The other coordinator learns by its next call that this is another crawl.
  await expect(there.state(young.id)).rejects.toMatchObject({ code: 'not-found' });
  expect(await leaseOf(there, young.id, 5)).toHaveLength(5);
});

it('leaves nothing when it is cut off and another process erases it again', async () => {
  const entry = await create('cut');
  const traces = await tracesOf(entry);
  await takeOut(entry);
  const cut = eraseCrawls(
    {
      store: stores[0] as RedisStore,
      clock,
      time: 'store',
      onKeys() {
        throw new Error('cut off');
      },
    },
    [entry],
  );
  await expect(cut).rejects.toThrow('cut off');
  const [half = []] = await leftKeys(servers, [traces]);
  expect(half.length).toBeGreaterThan(0);
  const { entries } = await there.catalog.list({ after: '', limit: 9, states: ['deleted'], tags: [] });
  expect(entries).toMatchObject([{ nonce: entry.nonce }]);
  await there.erase(entries);
  await there.catalog.remove(entry.nonce);
  await nothingLeft(traces);
});

it('leaves nothing while others go on with it all the time', { timeout: 60_000 }, async () => {
  const doomed = await Promise.all(Array.from({ length: 6 }, (_, n) => create(`busy-${n}-crawl`)));
  const traces = await Promise.all(doomed.map((entry) => tracesOf(entry)));
  let over = false;
  const busy = doomed.map(async ({ id, nonce }, n) => {
    for (let round = 0; !over; round++) {
      const offers = [offerOf(`http://h${round % 40}.test/new-${n}-${round}`)];
      const calls = [
        there.openCrawl({ ...settings, id, nonce, gapMs: 0, leaseTtlMs: 60_000 + round }),
        there.offer(id, offers),
        there.seed(id, offers, { last: true }),
        leaseOf(there, id, 2).then((leases) => there.report(leases.map(reportOf))),
      ];
      for (const call of await Promise.allSettled(calls))
        if (call.status === 'rejected') expect(call.reason).toMatchObject({ code: 'not-found' });
    }
  });
  for (const entry of doomed.slice(0, 3)) {
    await takeOut(entry);
    await here.erase([entry]);
    await here.catalog.remove(entry.nonce);
  }
  for (const entry of doomed.slice(3)) await takeOut(entry);
  await here.erase(doomed.slice(3));
  for (const { nonce } of doomed.slice(3)) await here.catalog.remove(nonce);
  over = true;
  await Promise.all(busy);
  await nothingLeft(...traces);
  expect(await here.balance(stays)).toMatchObject({ known: 120 });
});
