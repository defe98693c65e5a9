import { type CrawlId, systemClock } from '@webfarer/protocol';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { redisForFile } from '../../../../../../test/redis/for-file.ts';
import { openStore, type RedisStore, type StoreCall } from '../../../redis/store.ts';
import { scripts } from '../../../redis/client/scripts.ts';
import { replyArray } from '../../../redis/reply-array.ts';
import type { Reply } from '../../../redis/wire/resp.ts';
import { eraseCrawls } from '../erasing.ts';
import { testClock } from '../../suite/clock.fixture.ts';
import { settings } from '../../suite/world.fixture.ts';
import { emptyStore } from '../compared.fixture.ts';
import { type CrawlRegistry, crawlRegistry } from './crawl-registry.ts';

const servers = redisForFile({ settings: { appendonly: 'no' } });
const clock = testClock();
const idOf = (n: number) => `crawl-${n}` as CrawlId;

async function connected(): Promise<RedisStore> {
  const { url } = await servers();
  const store = await openStore({ url, replicas: 0, clock: systemClock() });
  onTestFinished(() => store.close());
  return store;
}

/** A process that knows the crawls of the store, and how many it was told of by each look. */
async function process(): Promise<
  CrawlRegistry & {
    told: number[];
    changed: string[];
    /** Finished crawls that something is left to do for in this process. */
    needed: Set<CrawlId>;
    dropped: string[];
    store: RedisStore;
    newEpoch: () => void;
  }
> {
  const connection = await connected();
  let epoch = connection.epoch();
  const told: number[] = [];
  const store: RedisStore = {
    ...connection,
    epoch: () => epoch,
    async run(calls: StoreCall[], options) {
      const replies = await connection.run(calls, options);
      for (const [i, { script }] of calls.entries())
        if (script === scripts.crawlChanges) told.push((replyArray(replies[i] ?? null)[2] as Reply[]).length);
      return replies;
    },
  };
  const changed: string[] = [];
  const needed = new Set<CrawlId>();
  const dropped: string[] = [];
  const crawls = await crawlRegistry(store, {
    groups: 8,
    clock,
    nowMs: () => clock.now(),
    changed: (id) => void changed.push(id),
    isNeeded: ({ id }) => needed.has(id),
    dropped: (c) => void dropped.push(c),
  });
  return Object.assign(crawls, {
    told,
    changed,
    needed,
    dropped,
    store,
    newEpoch: () => void (epoch += 'x'),
  });
}

const statesIn = (crawls: CrawlRegistry) => crawls.all().map(({ id, state }) => `${id} ${state}`);

async function tell(...args: (string | number)[]): Promise<unknown> {
  const { nodes } = await servers();
  return await nodes[0]?.ask(...args.map(String));
}

beforeEach(async () => {
  const store = await openStore({ url: (await servers()).url, replicas: 0, clock: systemClock() });
  await emptyStore(store);
  await store.close();
});

it('a look tells of the crawls that others have changed, and of no others', async () => {
  const [here, there] = [await process(), await process()];
  const changed = () => new Set(here.changed.splice(0));
  for (let n = 0; n < 20; n++) await there.open({ ...settings, id: idOf(n) });
  await here.refresh();
  expect(here.told).toEqual([0, 20]);
  expect(changed().size).toBe(20);
  await here.refresh();
  const crawl = await there.get(idOf(3));
  await there.setState(crawl, 'paused', undefined);
  await here.refresh();
  expect(here.find(idOf(3))).toMatchObject({ state: 'paused', order: 2 });
  expect(changed()).toEqual(new Set([idOf(3)]));
  await there.enter(crawl, crawl.order, [1, 5]);
  await here.refresh();
  expect(here.find(idOf(3))?.groups.list).toEqual([1, 5]);
  await there.setState(crawl, 'limited', undefined);
  await there.finish(await there.get(idOf(4)), { opened: '0', groups: '' });
  await there.setSeeded(await there.get(idOf(5)));
  await there.finish(await there.get(idOf(5)), { opened: '0', groups: '' });
  await here.refresh();
  expect(here.told.slice(2)).toEqual([0, 1, 1, 2]);
  expect(changed()).toEqual(new Set([idOf(3), idOf(5)]));
  expect(here.find(idOf(5))?.state).toBe('finished');
  expect(here.active()).toHaveLength(19);
});

it('a look tells of a crawl that was erased, and of hosts that were forgotten', async () => {
  const [here, there] = [await process(), await process()];
  for (const n of [0, 1]) await there.open({ ...settings, id: idOf(n) });
  await here.refresh();
  const host = { pattern: 'a.test', sinceMs: 1, reason: 'asked' };
  const barred = { tombstones: [host], matches: [], host: () => true };
  await there.bar(await there.get(idOf(1)), () => barred as never);
  await eraseCrawls({ store: there.store, clock, time: 'given', onKeys: () => {} }, [
    { id: idOf(0), nonce: '' },
  ]);
  await here.refresh();
  expect(statesIn(here)).toEqual(['crawl-1 running']);
  expect(here.find(idOf(1))?.barred?.tombstones).toMatchObject([{ pattern: 'a.test' }]);
});

it('all crawls are read where the store has gone back in time, or notes of changes are gone', async () => {
  const [here, there] = [await process(), await process()];
  for (let n = 0; n < 5; n++) await there.open({ ...settings, id: idOf(n) });
  await here.refresh();
  // A backup of the list, from before: the numbers of changes are lower again.
  await tell('HSET', '{wf}v', 'noted', 1);
  await tell('HSET', '{wf}2', 'state', 'paused', 'order', '1');
  await here.refresh();
  expect(here.told.at(-1)).toBe(5);
  expect(here.find(idOf(1))?.state).toBe('paused');
  await tell('HSET', '{wf}v', 'noted', 90, 'unnoted', 80);
  await here.refresh();
  expect(here.told.at(-1)).toBe(5);
  await here.refresh();
  expect(here.told.at(-1)).toBe(0);
  here.newEpoch();
  await here.refresh();
  expect(here.told.at(-1)).toBe(5);
});

it('the store keeps notes of the last 10,000 crawls, and says up to where they are gone', async () => {
  const there = await process();
  const crawl = (await there.open({ ...settings, id: idOf(0) })).crawl;
  const many = Array.from({ length: 10_500 }, (_, n) => [n - 20_000, `old-${n}`]).flat();
  for (let at = 0; at < many.length; at += 2_000) await tell('ZADD', '{wf}n', ...many.slice(at, at + 2_000));
  await tell('HSET', '{wf}v', 'noted', 9_999);
  await there.setState(crawl, 'paused', undefined);
  expect(await tell('ZCARD', '{wf}n')).toBe(10_000);
  expect(Number(await tell('HGET', '{wf}v', 'unnoted'))).toBe(-20_000 + 500);
});

it('changes of the version before, which notes none, are met by a look at all, and from then on at once', async () => {
  const [here, there] = [await process(), await process()];
  for (let n = 0; n < 5; n++) await there.open({ ...settings, id: idOf(n) });
  await here.refresh();
  const pausedUnnoted = async (n: number) => {
    await tell('HSET', `{wf}${n + 1}`, 'state', 'paused');
    await tell('HINCRBY', `{wf}${n + 1}`, 'order', 1);
  };
  await pausedUnnoted(1);
  await here.refresh();
  expect(here.find(idOf(1))?.state).toBe('running');
  clock.advance(60_000);
  await here.refresh();
  expect(here.find(idOf(1))?.state).toBe('paused');
  await pausedUnnoted(2);
  await here.refresh();
  expect(here.find(idOf(2))?.state).toBe('paused');
  // Long after the last one is gone.
  clock.advance(700_000);
  await here.refresh();
  await here.refresh();
  expect(here.told.at(-1)).toBe(0);
});

it('others know which crawls somebody asks for, for five seconds', async () => {
  const [here, there] = [await process(), await process()];
  for (const n of [0, 1]) await there.open({ ...settings, id: idOf(n) });
  await there.sayAlive(['1']);
  await here.refresh();
  expect(here.all().map(({ alive }) => alive)).toEqual([true, false]);
  clock.advance(6_000);
  await here.refresh();
  expect(here.all().map(({ alive }) => alive)).toEqual([false, false]);
  await there.sayAlive(['2']);
  await here.refresh();
  expect(here.all().map(({ alive }) => alive)).toEqual([false, true]);
  expect(await tell('ZCARD', '{wf}A')).toBe(1);
});

it('crawls that are over are not kept for long, unless they are needed, and are read from the store', async () => {
  const [here, there] = [await process(), await process()];
  const count = 300;
  const kept = () => [here.all().length, there.all().length];
  here.needed.add(idOf(7));
  for (let n = 0; n <= count; n++) {
    const { crawl } = await there.open({ ...settings, id: idOf(n) });
    await there.setSeeded(crawl);
    if (n < count) expect(await there.finish(crawl, { opened: '0', groups: '' })).toBe(true);
  }
  await here.refresh();
  expect(kept()).toEqual([count + 1, count + 1]);
  expect(here.active().map(({ id }) => id)).toEqual([idOf(count)]);
  const lookAll = async () => {
    clock.advance(31_000);
    await here.refresh();
    await there.refresh();
  };
  await lookAll();
  expect(kept()).toEqual([2, 1]);
  expect([here.dropped.length, there.dropped.length]).toEqual([count - 1, count]);
  here.needed.clear();
  await lookAll();
  expect(kept()).toEqual([1, 1]);
  // A call that has looked it up works with it for a while, also if all are read meanwhile.
  for (const n of [0, 7, count - 1]) {
    expect(await here.get(idOf(n))).toMatchObject({ id: idOf(n), state: 'finished' });
    await here.refresh();
    expect(here.find(idOf(n))?.id).toBe(idOf(n));
  }
  await there.reopen(await there.get(idOf(7)));
  await here.refresh();
  expect(here.active().map(({ id }) => id)).toEqual([idOf(count), idOf(7)]);
  await lookAll();
  expect(statesIn(here).sort()).toEqual([`${idOf(count)} running`, `${idOf(7)} running`].sort());
});
