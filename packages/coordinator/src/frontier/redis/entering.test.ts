import { type CrawlId, type HostKey, systemClock, type WorkerId } from '@webfarer/protocol';
import { groupOf, siteOf } from '@webfarer/protocol/url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import { testClock } from '../suite/clock.fixture.ts';
import { crawlA, offerOf, openSeeded, outcome, quiet, settings } from '../suite/world.fixture.ts';
import { emptyStore } from './compared.fixture.ts';
import { eraseCrawls } from './erasing.ts';
import { openRedisFrontier, type RedisFrontier } from './redis-frontier.ts';
import { openStore, type RedisStore, type StoreCall } from '../../redis/store.ts';

const servers = redisForFile({ settings: { appendonly: 'no' } });
const groups = 64;
const ask = { worker: 'w' as WorkerId, hosts: 9, urlsPerHost: 9 };
const clock = testClock();

/** A host for each of these groups. */
function hostIn(group: number): HostKey {
  for (let i = 0; ; i++) {
    const host = `www.site${i}.com` as HostKey;
    if (groupOf(siteOf(host)) % groups === group) return host;
  }
}

const urlIn = (group: number, path = '') => `https://${hostIn(group)}/${path}`;

async function connected(): Promise<RedisStore> {
  const { url } = await servers();
  const store = await openStore({ url, replicas: 0, clock: systemClock() });
  onTestFinished(() => store.close());
  return store;
}

/** A process; `before` is told of each of its calls. */
async function coordinator(
  before: (calls: StoreCall[]) => Promise<void> = async () => {},
): Promise<RedisFrontier> {
  const store = await connected();
  const run: RedisStore['run'] = async (calls, options) => {
    await before(calls);
    return await store.run(calls, options);
  };
  return await openRedisFrontier({ store: { ...store, run }, clock, time: 'given', groups });
}

async function tell(...args: string[]): Promise<unknown> {
  const { nodes } = await servers();
  return await nodes[0]?.ask(...args);
}

async function keys(pattern: string): Promise<string[]> {
  return ((await tell('KEYS', pattern)) as string[]).toSorted();
}

/** Groups in which the crawl with this number was opened. */
async function openGroups(c = '1'): Promise<number[]> {
  const found = await keys(`{g*}${c}m`);
  return found.map((key) => Number(/\d+/.exec(key)?.[0])).toSorted((a, b) => a - b);
}

const does = (calls: StoreCall[], name: string) =>
  calls.some(({ script }) => script?.name.startsWith(`wf_${name}_`));

async function leased(frontier: RedisFrontier): Promise<string[]> {
  return (await frontier.lease(ask)).leases.map(({ host }) => host).toSorted();
}

beforeEach(async () => {
  const store = await openStore({ url: (await servers()).url, replicas: 0, clock: systemClock() });
  await emptyStore(store);
  await store.close();
});

describe('the groups of a crawl', () => {
  it('are those that something of it has come into: its hosts, links to others, hosts leased by name', async () => {
    const here = await coordinator();
    await openSeeded(here, { ...settings, gapMs: 0 });
    expect(await openGroups()).toEqual([]);
    await here.offer(crawlA, [offerOf(urlIn(3)), offerOf(urlIn(9))]);
    expect(await openGroups()).toEqual([3, 9]);
    const { leases } = await here.lease({ ...ask, hosts: 1 });
    const settled = [outcome(leases[0]!.entries[0]!, { offers: [offerOf(urlIn(17))] })];
    await here.report([{ ...leases[0]!, settled, news: quiet, close: true }]);
    expect(await openGroups()).toEqual([3, 9, 17]);
    await here.leaseHost({ ...ask, crawl: crawlA, host: hostIn(40) });
    expect(await openGroups()).toEqual([3, 9, 17, 40]);
    expect(await here.look(crawlA, offerOf(urlIn(41)).url)).toBeUndefined();
    expect(await openGroups()).toEqual([3, 9, 17, 40]);
    expect(await here.balance(crawlA)).toMatchObject({ known: 3, queued: 2, done: 1 });
    expect(await tell('HGET', '{wf}1', 'groups')).toBe('80202000001');
  });

  it('are seen by others with the next look, and by whoever asks for counts at once', async () => {
    const [here, there] = [await coordinator(), await coordinator()];
    await openSeeded(here, { ...settings, gapMs: 0 });
    await there.sweepWhole();
    await here.offer(crawlA, [offerOf(urlIn(5))]);
    expect(await there.balance(crawlA)).toMatchObject({ known: 1, queued: 1 });
    const third = await coordinator();
    expect(await leased(third)).toEqual([hostIn(5)]);
    await here.offer(crawlA, [offerOf(urlIn(6))]);
    await third.sweepWhole();
    expect(await leased(third)).toEqual([hostIn(6)]);
  });

  it('hear of a change that comes while they are opened', async () => {
    const other = await coordinator();
    let meets: 'open' | 'crawlEnter' | undefined;
    const here = await coordinator(async (calls) => {
      if (meets === undefined || !does(calls, meets)) return;
      meets = undefined;
      await other.setState(crawlA, 'paused');
    });
    await openSeeded(here, { ...settings, gapMs: 0 });
    await other.sweepWhole();
    for (const [n, at] of (['open', 'crawlEnter'] as const).entries()) {
      meets = at;
      await here.offer(crawlA, [offerOf(urlIn(10 + n))]);
      expect(meets).toBe(undefined);
      expect(await tell('GET', `{g${10 + n}}1m`)).toMatch(/^paused /);
      await other.sweepWhole();
      expect(await leased(other)).toEqual([]);
      await other.setState(crawlA, 'running');
      await here.sweepWhole();
      expect(await leased(here)).toEqual([hostIn(10 + n)]);
    }
  });

  it('are entered by another process where the first one died between opening and listing', async () => {
    const dying = await coordinator(async (calls) => {
      if (does(calls, 'crawlEnter')) throw new Error('killed');
    });
    await openSeeded(dying, { ...settings, gapMs: 0 });
    await expect(dying.offer(crawlA, [offerOf(urlIn(7))])).rejects.toThrow('killed');
    expect(await openGroups()).toEqual([7]);
    const next = await coordinator();
    await next.setState(crawlA, 'paused');
    await next.setState(crawlA, 'running');
    await next.offer(crawlA, [offerOf(urlIn(7))]);
    expect(await leased(next)).toEqual([hostIn(7)]);
  });

  it('are found again where the store has lost the list of them', async () => {
    const here = await coordinator();
    await openSeeded(here, { ...settings, gapMs: 0 });
    await here.offer(crawlA, [offerOf(urlIn(20)), offerOf(urlIn(21))]);
    // A backup of the list alone, from before.
    await tell('HSET', '{wf}1', 'groups', '');
    const next = await coordinator();
    expect(await next.finish(crawlA)).toBe(false);
    expect(await next.balance(crawlA)).toMatchObject({ known: 2, queued: 2 });
    expect(await leased(next)).toEqual([hostIn(20), hostIn(21)].toSorted());
    await tell('HSET', '{wf}1', 'groups', '');
    const third = await coordinator();
    for (let n = 0; n < 4; n++) {
      await third.sweep();
      clock.advance(10_000);
    }
    expect(await tell('HGET', '{wf}1', 'groups')).toBe('000003');
  });

  it('are opened anew where they have gone back to a time before the crawl', async () => {
    const here = await coordinator();
    await openSeeded(here, { ...settings, gapMs: 0 });
    await here.offer(crawlA, [offerOf(urlIn(20))]);
    for (const key of await keys('{g20}1*')) await tell('DEL', key);
    const next = await coordinator();
    await openSeeded(next, { ...settings, gapMs: 0 });
    await next.offer(crawlA, [offerOf(urlIn(20))]);
    expect(await leased(next)).toEqual([hostIn(20)]);
  });

  it('are all where the version before works on the crawl, too', async () => {
    const here = await coordinator();
    await openSeeded(here, { ...settings, gapMs: 0 });
    await here.offer(crawlA, [offerOf(urlIn(2))]);
    // It has never written `told`, which that version waits for, so that one tells all groups and notes it there.
    expect(await tell('HGET', '{wf}1', 'told')).toBe(null);
    await tell('HSET', '{wf}1', 'told', '1');
    await here.setState(crawlA, 'paused');
    expect(await openGroups()).toHaveLength(groups);
    expect(await tell('HMGET', '{wf}1', 'told', 'order')).toEqual(['2', '2']);
    // And of a crawl that it has created.
    await tell('HDEL', '{wf}1', 'groups', 'told', 'heard');
    const next = await coordinator();
    await next.openCrawl({ ...settings, gapMs: 0 });
    expect(await next.balance(crawlA)).toMatchObject({ known: 1, queued: 1 });
  });

  it('forget it when it is erased, and nothing of it is left', async () => {
    const here = await coordinator();
    await openSeeded(here, { ...settings, gapMs: 0 });
    await openSeeded(here, { ...settings, id: 'other' as CrawlId, gapMs: 0 });
    await here.offer(crawlA, [offerOf(urlIn(2)), offerOf(urlIn(60))]);
    await here.offer('other' as CrawlId, [offerOf(urlIn(2))]);
    const asked = new Set<string>();
    const store = await connected();
    const run: RedisStore['run'] = async (calls, options) => {
      for (const { script, key } of calls) if (script?.name.startsWith('wf_forget_')) asked.add(key);
      return await store.run(calls, options);
    };
    const deleted = [{ id: crawlA, nonce: '' }];
    const erasing = { store: { ...store, run }, clock, time: 'given', onKeys: () => {} } as const;
    expect(await eraseCrawls(erasing, deleted)).toBeGreaterThan(4);
    expect([...asked].toSorted()).toEqual(['{g2}', '{g60}']);
    expect(await keys('{*}1*')).toEqual([]);
    expect(await keys('{wf}t*')).toEqual([]);
    expect(await tell('SMEMBERS', '{g2}a')).toEqual(['2']);
    expect(await tell('EXISTS', '{g60}a')).toBe(0);
    await expect(here.offer(crawlA, [offerOf(urlIn(2, 'late'))])).rejects.toMatchObject({
      code: 'not-found',
    });
    await expect(here.offer(crawlA, [offerOf(urlIn(30))])).rejects.toMatchObject({ code: 'not-found' });
    expect(await keys('{*}1*')).toEqual([]);
  });

  it('of a crawl that was erased are left with a lease, which ends for whoever comes later', async () => {
    const here = await coordinator();
    await openSeeded(here, { ...settings, gapMs: 0 });
    await here.offer(crawlA, [offerOf(urlIn(12))]);
    expect(await leased(here)).toEqual([hostIn(12)]);
    await here.erase([{ id: crawlA, nonce: '' }]);
    clock.advance(settings.leaseTtlMs);
    const next = await coordinator();
    expect(await next.sweep()).toMatchObject({ expired: 1 });
    expect(await next.sweep()).toMatchObject({ expired: 0 });
  });
});
