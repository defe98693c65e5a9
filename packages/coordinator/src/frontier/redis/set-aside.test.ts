import {
  type CrawlId,
  type HostKey,
  type Offer,
  type Url,
  type WorkerId,
  systemClock,
} from '@webfarer/protocol';
import { groupOf, siteOf } from '@webfarer/protocol/url';
import { afterEach, expect, it } from 'vitest';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import { openSeeded, settings } from '../suite/world.fixture.ts';
import { emptyStore } from './compared.fixture.ts';
import { groupTag } from '../../redis/keys.ts';
import { openRedisFrontier } from './redis-frontier.ts';
import { openStore } from '../../redis/store.ts';

/** Nonsense in the store's own texts costs what it is about, and never the crawl. */
const servers = redisForFile({ settings: { appendonly: 'no' } });
const clock = systemClock();
const crawl = 'a' as CrawlId;
const worker = 'w1' as WorkerId;
const groups = 4;
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const offer = (url: string): Offer => ({ url: url as Url, kind: 'page', depth: 0, cost: 0, hops: 0 });

async function crawlOf(urls: string[]) {
  const { url } = await servers();
  const store = await openStore({ url, replicas: 0, clock });
  await emptyStore(store);
  const frontier = await openRedisFrontier({ store, clock, groups, sweepEveryMs: 0 });
  ends.push(() => frontier.close());
  const brisk = { gapMs: 0, leaseTtlMs: 300, maxFetchMs: 0, backoffMs: 1, deadAfter: 3 };
  await openSeeded(frontier, { ...settings, ...brisk, id: crawl });
  await frontier.offer(crawl, urls.map(offer));
  const tagOf = (host: string) => groupTag(groupOf(siteOf(host as HostKey)) % groups);
  const command = async (host: string, name: string, key: string, ...args: string[]) => {
    const tag = tagOf(host);
    const [reply] = await store.run([{ key: tag, args: [name, tag + key, ...args] }]);
    return reply;
  };
  const aside = async (host: string) => Number((await command(host, 'HGET', 'n', '#')) ?? 0);
  return { frontier, command, aside };
}

type World = Awaited<ReturnType<typeof crawlOf>>;

/** Leases and settles everything there is, as an honest worker does; answers the URLs. */
async function workOff({ frontier }: World): Promise<string[]> {
  const done: string[] = [];
  await expect
    .poll(
      async () => {
        await frontier.sweep();
        const { leases } = await frontier.lease({ worker, hosts: 10, urlsPerHost: 10 });
        for (const { entries, ...lease } of leases) {
          const settled = entries.map(({ url, kind, depth, attempt }) => {
            done.push(url);
            const record = { url, kind, depth, verdict: 'done', reason: 'ok', status: 200 } as const;
            const figures = { bytes: 1, startedAtMs: 1, durationMs: 1, links: 0, items: 0 };
            const whole = { ...record, ...figures, attempts: attempt + 1 };
            return {
              kind: 'outcome' as const,
              url,
              record: whole,
              offers: [],
              edges: [],
              items: [],
              dropped: {},
            };
          });
          const news = { endedAgoMs: 0, gapMs: 0, why: 'gap', health: 'ok' } as const;
          await frontier.report([{ ...lease, settled, news, close: true }]);
        }
        return await frontier.finish(crawl);
      },
      { timeout: 15_000, interval: 20 },
    )
    .toBe(true);
  return done.toSorted();
}

const urls = ['https://a.example/', 'https://a.example/2', 'https://b.example/', 'https://c.example/'];

it('refuses to lease what is not a host', async () => {
  const { frontier } = await crawlOf(urls);
  const host = 'x.a b.com' as HostKey;
  await expect(frontier.leaseHost({ worker, crawl, host })).rejects.toMatchObject({ code: 'frame-invalid' });
});

it.each([
  ['a host', 'SET', 'h:a.example', '1;nonsense'],
  ['a host without any sense', 'SET', 'h:a.example', 'x y z'],
  ['a lease', 'SET', 'h:a.example', '1;1 2 3 gap op;who knows'],
  ['a host in a crawl', 'SET', '1p:a.example', '0 0 0 0 0 0 1 d - a b.com'],
  ['a host in a crawl without any sense', 'SET', '1p:a.example', '?'],
  ['the sums of a site', 'SET', '1t:example', 'many'],
])('goes on where the text of %s cannot be read', async (_what, name, key, text) => {
  const world = await crawlOf(urls);
  await world.command('a.example', name, key, text);
  expect(await workOff(world)).toEqual(urls);
  expect(await world.frontier.balance(crawl)).toMatchObject({ known: 4, queued: 0, leased: 0, done: 4 });
});

it('gives back what was leased where the text of the lease cannot be read', async () => {
  const world = await crawlOf(urls);
  await world.frontier.lease({ worker, hosts: 10, urlsPerHost: 10 });
  await world.command('a.example', 'SET', 'h:a.example', '1;1 2 3 gap op;lost');
  expect(await workOff(world)).toEqual(urls);
  expect(await world.aside('a.example')).toBe(1);
});

it.each([
  ['queued', 'RPUSH', '11:a.example'],
  ['queued first', 'LPUSH', '11:a.example'],
])('sets aside an entry that is %s and cannot be taken apart', async (_what, name, key) => {
  const world = await crawlOf(urls);
  await world.command('a.example', name, key, 's/no-tail');
  await world.command('a.example', 'HINCRBY', '1c', 'queued', '1');
  await world.command('a.example', 'HINCRBY', '1c', 'known', '1');
  expect(await workOff(world)).toEqual(urls);
  expect(await world.frontier.balance(crawl)).toMatchObject({ known: 4, queued: 0, leased: 0, done: 4 });
  expect((await world.frontier.totals(crawl)).dropped).toEqual({ invalid: 1 });
  expect(await world.aside('a.example')).toBe(1);
});

it('ends a sweep where the queue of a host that is to be settled is lost', async () => {
  const world = await crawlOf(urls);
  const { frontier, command } = world;
  const limits = { hostPages: 0 };
  await frontier.openCrawl({ ...settings, id: crawl, limits });
  // The host stands among those to be settled, and its queue is gone.
  await command('a.example', 'DEL', '11:a.example');
  await expect.poll(async () => (await frontier.sweepWhole()).more, { timeout: 10_000 }).toBe(false);
  expect(await command('a.example', 'SCARD', '1z')).toBe(0);
});

it('empties an outbox that holds what nobody can deliver', async () => {
  const world = await crawlOf(urls);
  await world.command(
    'a.example',
    'XADD',
    '1o',
    '5-1',
    'd',
    'not JSON',
    'd',
    '[["a b","a b","1","s/\\n0000"]]',
  );
  expect(await workOff(world)).toEqual(urls);
  expect(await world.aside('a.example')).toBe(2);
});
