import { type CrawlId, type HostKey, systemClock, type Url, type WorkerId } from '@webfarer/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import type { RedisServers } from '../../../../../test/redis/servers.ts';
import { newEntry } from '../../catalog/catalog.suite.ts';
import { offerOf, settings } from '../suite/world.fixture.ts';
import { openKeeper, type StoreKeeper } from './forgetting.ts';
import { crawlIn, hostIn } from '../../redis/keys.ts';
import { openRedisFrontier, type RedisFrontier } from './redis-frontier.ts';
import { openStore, type RedisStore } from '../../redis/store.ts';

const cluster = redisForFile({ primaries: 3, replicasEach: 0 });
const clock = systemClock();
const worker = 'w' as WorkerId;
const gone = 'gone' as CrawlId;
const stays = 'stays' as CrawlId;
const hosts = Array.from({ length: 40 }, (_, n) => `h${n}.test` as HostKey);

let servers: RedisServers;
let store: RedisStore;
let frontier: RedisFrontier;
let keeper: StoreKeeper;

const offersOf = (pages: number) =>
  hosts.flatMap((host) => Array.from({ length: pages }, (_, n) => offerOf(`http://${host}/${n}` as Url)));

/** Names of all keys, and what hosts remember of crawls. */
async function contents(): Promise<{ keys: string[]; crawlsOfHosts: Set<string> }> {
  const keys: string[] = [];
  for await (const some of store.scan('*')) keys.push(...some);
  const named = keys.filter((key) => key.includes('}h:'));
  const values = await store.run(named.map((key) => ({ key, args: ['GET', key] })));
  const words = values.flatMap((value) => (value as string).split(';')[0]?.split(' ') ?? []);
  return { keys, crawlsOfHosts: new Set(words) };
}

beforeAll(async () => {
  servers = await cluster();
  store = await openStore({ url: servers.url, replicas: 0, clock });
  frontier = await openRedisFrontier({ store, clock, groups: 16 });
  for (const id of [gone, stays]) {
    await frontier.openCrawl({ ...settings, id, gapMs: 0 });
    await frontier.offer(id, offersOf(30));
    await frontier.catalog.create(newEntry(id));
  }
  keeper = await openKeeper({ url: servers.url, clock });
});

afterAll(async () => {
  await keeper.close();
  await frontier.close();
});

describe('a crawl that is erased', () => {
  it('must be left alone by everybody first', async () => {
    const { leases } = await frontier.lease({ worker, hosts: 5, urlsPerHost: 3, crawls: [gone] });
    expect(leases).toHaveLength(5);
    await frontier.sweep();
    await expect(keeper.forget(gone)).rejects.toThrow('gone is in use');
    const { crawls } = await keeper.list();
    expect(crawls).toEqual([
      { name: gone, state: 'running', alive: true },
      { name: stays, state: 'running', alive: false },
    ]);
    await store.run([{ key: '{wf}', args: ['ZREM', '{wf}A', '1'] }]);
  });

  it('goes on where it was cut off', async () => {
    const cut = keeper.forget(gone, (erased) => {
      if (erased > 20) throw new Error('cut off');
    });
    await expect(cut).rejects.toThrow('cut off');
    expect(await keeper.list()).toEqual({
      crawls: [{ name: stays, state: 'running', alive: false }],
      halfErased: [gone],
    });
    expect(await keeper.forget(gone)).toBeGreaterThan(20);
    expect((await keeper.list()).halfErased).toEqual([]);
  });

  it('leaves nothing of itself and everything of others', async () => {
    const { keys, crawlsOfHosts } = await contents();
    expect(keys.filter((key) => crawlIn(key) === '1')).toEqual([]);
    expect(crawlsOfHosts).toEqual(new Set(['2']));
    expect(await frontier.catalog.find(gone)).toBeUndefined();
    expect(await frontier.catalog.find(stays)).toMatchObject({ id: stays });
    expect(await frontier.balance(stays)).toMatchObject({ known: 1_200, queued: 1_200 });
  });

  it('is unknown to those who worked on it, and its hosts are not lost to others', async () => {
    await expect(frontier.offer(gone, offersOf(1))).rejects.toThrow(/not in this store|no crawl gone/);
    await expect(frontier.state(gone)).rejects.toThrow('no crawl gone');
    const { leases } = await frontier.lease({ worker, hosts: 40, urlsPerHost: 1, crawls: [stays] });
    // Five are still held by leases of the crawl that is no more.
    expect(leases).toHaveLength(35);
    await frontier.releaseAll();
    const again = await frontier.lease({ worker, hosts: 40, urlsPerHost: 1, crawls: [stays] });
    expect(again.leases).toHaveLength(40);
    await frontier.releaseAll();
  });

  it('may be begun again and is another one', async () => {
    await frontier.openCrawl({ ...settings, id: gone, gapMs: 0 });
    expect(await frontier.balance(gone)).toMatchObject({ known: 0 });
    await frontier.offer(gone, offersOf(2));
    expect(await frontier.balance(gone)).toMatchObject({ known: 80, queued: 80 });
    expect(await keeper.forget(gone)).toBeGreaterThan(80);
    await expect(keeper.forget(gone)).rejects.toThrow('no crawl named gone');
  });
});

it.each([
  ['{g3}1m', '1'],
  ['{g3}10:a.test', '1'],
  ['{g3}11:a.test', '1'],
  ['{g3}10m', '10'],
  ['{g3}11l:a.test', '11'],
  ['{g3}100:a.test', '10'],
  ['{g3}1k12', '1'],
  ['{wf}1', '1'],
  ['{wf}1a', '1'],
  ['{wf}12', '12'],
  ['{wf}i', undefined],
  ['{wf}E:5', undefined],
  ['{g1}h:1.test', undefined],
])('the crawl that %s belongs to: %s', (key, c) => {
  expect(crawlIn(key)).toBe(c);
});

it('knows what a crawl keeps of a host', () => {
  expect(hostIn('{g7}1p:a.test:8080')).toEqual({ c: '1', group: 7, host: 'a.test:8080' });
  expect(hostIn('{g7}1l:a.test')).toBeUndefined();
});
