import { type HostKey, systemClock, type WorkerId } from '@webfarer/protocol';
import { groupOf, siteOf } from '@webfarer/protocol/url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import { forgetAll } from '../forgetting.ts';
import { testClock } from '../suite/clock.fixture.ts';
import { crawlA, offerOf, outcome, quiet, settings } from '../suite/world.fixture.ts';
import { emptyStore } from './compared.fixture.ts';
import { openRedisFrontier, type RedisFrontier } from './redis-frontier.ts';
import { storeTag } from '../../redis/keys.ts';
import { openStore, type RedisStore, type StoreCall } from '../../redis/store.ts';

/** Changes of a crawl by several processes at once: whichever comes late, or ends half way, the last one is in force. */

const servers = redisForFile({ settings: { appendonly: 'no' } });
const groups = 4;
const ask = { worker: 'w' as WorkerId, hosts: 9, urlsPerHost: 1 };
const clock = testClock();

/** One host in each group. */
const hosts = Array.from({ length: groups }, (_, group) => {
  const names = Array.from({ length: 99 }, (__, i) => `www.site${i}.com` as HostKey);
  return names.find((host) => groupOf(siteOf(host)) % groups === group) as HostKey;
});

async function connected(): Promise<RedisStore> {
  const { url } = await servers();
  return await openStore({ url, replicas: 0, clock: systemClock() });
}

/** A process; `before` is told of each of its calls and may hold them up. */
async function coordinator(
  before: (calls: StoreCall[]) => Promise<void> = async () => {},
): Promise<RedisFrontier> {
  const store = await connected();
  const run: RedisStore['run'] = async (calls, options) => {
    await before(calls);
    return await store.run(calls, options);
  };
  const frontier = await openRedisFrontier({ store: { ...store, run }, clock, time: 'given', groups });
  onTestFinished(() => frontier.close());
  return frontier;
}

const isTelling = (calls: StoreCall[]): boolean =>
  calls.some(({ script }) => script?.name.startsWith('wf_open_'));

/** A process that is held up before it tells the groups of its next change, and goes on when it is let go. */
async function held(): Promise<{
  frontier: RedisFrontier;
  hold(): void;
  isHeld: Promise<void>;
  letGo(): void;
}> {
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  let holds = false;
  const frontier = await coordinator(async (calls) => {
    if (!holds || !isTelling(calls)) return;
    reached.resolve();
    await gate.promise;
  });
  return { frontier, hold: () => void (holds = true), isHeld: reached.promise, letGo: gate.resolve };
}

async function leased(frontier: RedisFrontier): Promise<string[]> {
  const { leases } = await frontier.lease(ask);
  return leases.map(({ host }) => host).toSorted();
}

beforeEach(async () => {
  const store = await connected();
  await emptyStore(store);
  await store.close();
});

const waited = (ms: number) => Promise.resolve(clock.advance(ms));

async function opened(frontier: RedisFrontier): Promise<void> {
  await frontier.openCrawl({ ...settings, gapMs: 0 });
  const offers = hosts.map((host) => offerOf(`https://${host}/`));
  await frontier.seed(crawlA, offers, { last: true });
}

describe('changes of a crawl', () => {
  it('leave no group paused where a resume overtakes the pause before it', async () => {
    const slow = await held();
    const quick = await coordinator();
    await opened(quick);
    slow.hold();
    const pausing = slow.frontier.setState(crawlA, 'paused');
    await slow.isHeld;
    expect(await quick.setState(crawlA, 'running')).toBe('running');
    slow.letGo();
    await pausing;
    expect(await quick.state(crawlA)).toBe('running');
    expect(await leased(quick)).toEqual(hosts.toSorted());
  });

  it('are the wish that came last, whichever of two wishes reaches the store first', async () => {
    const one = await coordinator();
    const other = await coordinator();
    await opened(one);
    expect(await one.setState(crawlA, 'running', 6)).toBe('running');
    expect(await other.setState(crawlA, 'paused', 5)).toBe('running');
    expect(await leased(one)).toEqual(hosts.toSorted());
  });

  it('reach all groups although whoever made one died on the way', async () => {
    const dead = await held();
    const alive = await coordinator();
    await opened(alive);
    await alive.setState(crawlA, 'paused');
    dead.hold();
    dead.frontier.setState(crawlA, 'running').catch(() => undefined);
    await dead.isHeld;
    expect(await leased(alive)).toEqual([]);
    // Nobody knows yet that it is dead.
    await alive.sweep();
    clock.advance(1_000);
    await alive.sweep();
    expect(await leased(alive)).toEqual([]);
    clock.advance(1_500);
    await alive.sweep();
    expect(await leased(alive)).toEqual(hosts.toSorted());
    dead.letGo();
  });

  it('are taken by groups that are ahead of a store which went back in time', async () => {
    const frontier = await coordinator();
    await opened(frontier);
    for (const state of ['paused', 'running', 'paused'] as const) await frontier.setState(crawlA, state);
    const store = await connected();
    onTestFinished(() => store.close());
    const args = ['HSET', `${storeTag}1`, 'order', '1', 'told', '1', 'state', 'running'];
    await store.run([{ key: storeTag, args }]);
    const later = await coordinator();
    await later.openCrawl({ ...settings, gapMs: 0 });
    expect(await leased(later)).toEqual(hosts.toSorted());
  });

  it('do not bring back the settings of an older entry', async () => {
    const one = await coordinator();
    const other = await coordinator();
    await opened(one);
    await one.openCrawl({ ...settings, leaseTtlMs: 7_000, edit: 4 });
    await other.openCrawl({ ...settings, leaseTtlMs: 9_000, edit: 3 });
    const { leases } = await other.lease(ask);
    expect(new Set(leases.map(({ ttlMs }) => ttlMs))).toEqual(new Set([7_000]));
  });

  it('do not bring back a host that another process has forgotten', async () => {
    const one = await coordinator();
    const other = await coordinator();
    await opened(one);
    await one.setState(crawlA, 'stopped');
    await other.state(crawlA);
    const [first = '', second = ''] = hosts;
    const before = await other.forgotten(crawlA);
    await forgetAll(one, crawlA, { pattern: first, moved: [] }, waited);
    expect(before).toEqual([]);
    await forgetAll(other, crawlA, { pattern: second, moved: [] }, waited);
    const listed = (await other.forgotten(crawlA)).map(({ pattern }) => pattern);
    expect(listed).toEqual([first, second]);
    const again = [first, second].map((host) => offerOf(`https://${host}/again`));
    expect(await other.offer(crawlA, again)).toEqual(['forgotten', 'forgotten']);
  });

  it('leave nothing of a host that another process has not heard to be forgotten yet', async () => {
    const one = await coordinator();
    const other = await coordinator();
    await opened(one);
    await one.setState(crawlA, 'stopped');
    await other.state(crawlA);
    const [host = ''] = hosts;
    const order = { pattern: host, moved: [] };
    const first = await one.forget(crawlA, order, '');
    expect(await other.offer(crawlA, [offerOf(`https://${host}/late`)])).toEqual(['accepted']);
    // Coordinators hear of it once a second: what they accept until then is erased with the rest.
    expect(first.waitMs ?? 0).toBeGreaterThan(1_000);
    await waited(first.waitMs ?? 0);
    for (let after = first.next; after !== undefined; )
      ({ next: after } = await one.forget(crawlA, order, after));
    expect((await one.urls(crawlA, { filter: { host: host as HostKey }, after: '', limit: 9 })).urls).toEqual(
      [],
    );
    await other.sweep();
    expect(await other.offer(crawlA, [offerOf(`https://${host}/late`)])).toEqual(['forgotten']);
  });

  it('lose no URL of a queue that is rewritten while another process has the crawl resumed', async () => {
    const [host = '', forgotten = ''] = hosts;
    const runner = await coordinator();
    let resumed = false;
    const forgetting = await coordinator(async (calls) => {
      if (resumed || !calls.some(({ script }) => script?.name.startsWith('wf_rewriteQueue_'))) return;
      resumed = true;
      await runner.setState(crawlA, 'running');
      const { leases } = await runner.lease(ask);
      expect(leases.map((lease) => [lease.host, lease.entries.length])).toContainEqual([host, 1]);
    });
    await opened(runner);
    const paths = ['1', '2', '3', '4', '5', '6'];
    const [lease] = (await runner.lease(ask)).leases.filter((one) => one.host === forgotten);
    const offers = paths.map((path) => offerOf(`https://${host}/${path}`));
    const settled = [outcome(lease!.entries[0]!, { offers })];
    await runner.report([{ ...lease!, settled, news: quiet, close: true }]);
    await runner.releaseAll();
    await runner.setState(crawlA, 'stopped');
    await forgetAll(forgetting, crawlA, { pattern: forgotten, moved: [] }, waited);
    expect(resumed).toBe(true);
    const { urls } = await runner.urls(crawlA, { filter: { host: host as HostKey }, after: '', limit: 99 });
    const found = urls.map((one) =>
      'entry' in one ? `${one.state} ${new URL(one.entry.url).pathname}` : '',
    );
    expect(found.toSorted()).toEqual([
      'leased /',
      'queued /1',
      'queued /2',
      'queued /3',
      'queued /4',
      'queued /5',
      'queued /6',
    ]);
  });
});

it('counts the running time of a crawl once where two processes run it at the same time', async () => {
  const one = await coordinator();
  const other = await coordinator();
  await opened(one);
  await one.keepTime(crawlA, { sinceMs: 0, atLeastMs: 0 });
  clock.advance(5_000);
  expect(await one.keepTime(crawlA, { sinceMs: 5_000, atLeastMs: 5_000 })).toBe(5_000);
  clock.advance(1_000);
  expect(await other.keepTime(crawlA, { sinceMs: 5_000, atLeastMs: 5_000 })).toBe(6_000);
  // Both were paused.
  clock.advance(60_000);
  expect(await one.keepTime(crawlA, { sinceMs: 1_000, atLeastMs: 6_000 })).toBe(7_000);
});
