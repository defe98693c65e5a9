import { type CrawlId, systemClock, type Url, type WorkerId } from '@webfarer/protocol';
import { describe, expect, it, vi } from 'vitest';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import { testClock } from '../suite/clock.fixture.ts';
import { crawlA, createWorld, gapMs, offerOf, outcome, settings } from '../suite/world.fixture.ts';
import { emptyStore } from './compared.fixture.ts';
import { stateKey } from '../../redis/keys.ts';
import { openRedisFrontier } from './redis-frontier.ts';
import { openStore } from '../../redis/store.ts';

const servers = redisForFile({ settings: { appendonly: 'no' } });

/** A frontier whose every call is carried out twice: the first answer is lost on the way. */
async function forgetful() {
  return await createWorld({
    name: 'Redis that loses answers',
    async open(clock) {
      const { url } = await servers();
      const store = await openStore({ url, replicas: 0, clock: systemClock(), loseAnswers: () => true });
      await emptyStore(store);
      return await openRedisFrontier({ store, clock, time: 'given', groups: 4 });
    },
  });
}

describe('answers that are lost', () => {
  it('a grant is given again, not lost until the lease runs out', async () => {
    const w = await forgetful();
    await w.openCrawl();
    await w.offer(['http://a.test/1', 'http://b.test/1', 'http://b.test/2']);
    const leases = await w.lease();
    expect(leases.flatMap(({ entries }) => entries.map(({ url }) => url)).toSorted()).toEqual([
      'http://a.test/1',
      'http://b.test/1',
      'http://b.test/2',
    ]);
    expect(await w.balance()).toMatchObject({ known: 3, leased: 3 });
    await w.frontier.close();
  });

  it('a host leased without URLs is given again', async () => {
    const w = await forgetful();
    const crawl = await w.openCrawl();
    const ask = { worker: 'w' as WorkerId, crawl, host: 'z.test' as never };
    expect(await w.frontier.leaseHost(ask)).toMatchObject({ granted: true });
    expect(await w.frontier.leaseHost(ask)).toMatchObject({ granted: false });
    await w.frontier.close();
  });

  it('a report counts once, and the crawl goes on', async () => {
    const w = await forgetful();
    await w.openCrawl({ gapMs: 0 });
    await w.offer(['http://a.test/1']);
    for (let n = 2; n < 6; n++) {
      const lease = await w.leaseOne();
      const offers = [offerOf(`http://a.test/${n}`), offerOf(`http://b${n}.test/`, { kind: 'check' })];
      const settled = [outcome(lease.entries[0]!, { offers, items: [n] })];
      expect(await w.report(lease, { settled, close: true })).toMatchObject({ ok: true });
      const others = (await w.lease()).filter(({ host }) => host !== 'a.test');
      for (const other of others) await w.finishLease(other);
      // The queue of a.test may be among what was leased just now: it is given back.
      await w.frontier.releaseAll();
    }
    expect((await w.frontier.totals('a' as CrawlId)).items).toBe(4);
    expect(await w.balance()).toMatchObject({ known: 9 });
    await w.frontier.close();
  });

  it('a ceiling is neither passed nor missed', async () => {
    const w = await forgetful();
    await w.openCrawl({ gapMs: 0, limits: { pages: 5 } });
    await w.offer(Array.from({ length: 9 }, (_, n) => `http://h${n}.test/`));
    for (let round = 0; round < 9; round++) {
      for (const lease of await w.lease(2, 1)) await w.finishLease(lease);
    }
    expect(await w.balance()).toMatchObject({ done: 5, queued: 4, leased: 0 });
    await w.frontier.close();
  });

  it('a crawl is seeded when it is', async () => {
    const w = await forgetful();
    await w.frontier.openCrawl(settings);
    const { id: crawl } = settings;
    await w.frontier.seed(crawl, [], { last: false });
    expect(await w.frontier.finish(crawl)).toBe(false);
    await w.frontier.seed(crawl, [], { last: true });
    expect(await w.frontier.finish(crawl)).toBe(true);
    await w.frontier.close();
  });
});

describe('time of the store', () => {
  it('a caller whose clock jumps is not believed at once, and nobody is served early', async () => {
    const { url } = await servers();
    const real = systemClock();
    const store = await openStore({ url, replicas: 0, clock: real });
    await emptyStore(store);
    const clock = testClock(real.now());
    const frontier = await openRedisFrontier({ store, clock, groups: 4 });
    const id = 'a' as CrawlId;
    await frontier.openCrawl({
      id,
      gapMs,
      leaseTtlMs: 60_000,
      maxFetchMs: 30_000,
      backoffMs: 1000,
      deadAfter: 3,
      limits: {},
    });
    await frontier.offer(id, [offerOf('http://a.test/1'), offerOf('http://a.test/2')]);
    const ask = { worker: 'w' as WorkerId, hosts: 1, urlsPerHost: 1 };
    clock.advance(300);
    const [lease] = (await frontier.lease(ask)).leases;
    expect(lease?.entries).toMatchObject([{ url: 'http://a.test/1' as Url }]);
    const { id: leaseId, crawl, host, fence } = lease!;
    const news = { endedAgoMs: 0, gapMs, why: 'gap', health: 'ok' } as const;
    await frontier.report([{ id: leaseId, crawl, host, fence, settled: [], news, close: true }]);
    // Two minutes pass for us, hardly a moment for the store: a clock jumped, and nobody knows whose.
    clock.advance(120_000);
    const { leases, nextDueMs } = await frontier.lease(ask);
    expect(leases).toEqual([]);
    expect(nextDueMs).toBeGreaterThan(0);
    await frontier.close();
  });

  it('a store whose clock jumps forward serves no host early', async () => {
    const { url } = await servers();
    const clock = systemClock();
    const store = await openStore({ url, replicas: 0, clock });
    await emptyStore(store);
    const frontier = await openRedisFrontier({ store, clock, groups: 1 });
    const waitMs = 30_000;
    const times = { leaseTtlMs: 60_000, maxFetchMs: 30_000, backoffMs: 1000 };
    await frontier.openCrawl({ id: crawlA, gapMs: waitMs, ...times, deadAfter: 3, limits: {} });
    const ask = { worker: 'w' as WorkerId, hosts: 9, urlsPerHost: 1 };
    await frontier.offer(crawlA, [offerOf('http://a.test/1'), offerOf('http://a.test/2')]);
    const lease = await vi.waitFor(async () => {
      const [first] = (await frontier.lease(ask)).leases;
      expect(first).toBeDefined();
      return first;
    }, 5_000);
    const news = { endedAgoMs: 0, gapMs: waitMs, why: 'gap', health: 'ok' } as const;
    await frontier.report([{ ...lease!, settled: [outcome(lease!.entries[0]!)], news, close: true }]);
    // The group's time is the store's clock and an offset: moving that is as good as setting the clock.
    const key = stateKey(0);
    const [state] = await store.run([{ key, args: ['GET', key] }]);
    const [offset, ...rest] = (state as string).split(' ');
    await store.run([{ key, args: ['SET', key, [Number(offset) + 2 * waitMs, ...rest].join(' ')] }]);
    // Brings news of what is due by that clock.
    await frontier.sweep();
    const { leases, nextDueMs } = await frontier.lease(ask);
    expect(leases).toEqual([]);
    expect(nextDueMs).toBeGreaterThan(waitMs / 2);
    await frontier.close();
  });

  it('a report is whole although the clock went back a little since the last one', async () => {
    const w = await createWorld({
      name: 'Redis',
      async open(clock) {
        const { url } = await servers();
        const store = await openStore({ url, replicas: 0, clock: systemClock() });
        await emptyStore(store);
        return await openRedisFrontier({ store, clock, time: 'given', groups: 1 });
      },
    });
    await w.openCrawl();
    await w.offer(['http://a.test/1', 'http://b.test/1']);
    const [a, b] = await w.lease();
    await w.finishLease(a!);
    w.clock.advance(-100);
    await w.finishLease(b!);
    expect(await w.balance()).toMatchObject({ known: 2, done: 2, leased: 0 });
    const found: string[] = [];
    for await (const record of w.frontier.results.records('a' as CrawlId)) found.push(record.url);
    expect(found.toSorted()).toEqual(['http://a.test/1', 'http://b.test/1']);
    await w.frontier.close();
  });
});
