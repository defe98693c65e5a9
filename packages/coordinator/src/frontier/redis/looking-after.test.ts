import { systemClock, type WorkerId } from '@webfarer/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import { type TestClock, testClock } from '../clock.fixture.ts';
import { crawlA, offerOf, outcome, quiet, settings } from '../world.fixture.ts';
import { openRedisFrontier, type RedisFrontier } from './redis-frontier.ts';
import { openStore } from './store.ts';

const servers = redisForFile({ settings: { appendonly: 'no' } });
const groups = 16;
const all = new Set(Array.from({ length: groups }, (_, group) => group));
const none = new Set<number>();
const opened: RedisFrontier[] = [];

afterEach(async () => {
  for (const frontier of opened.splice(0)) await frontier.close();
});

/** Two processes on one store: the first looks after no group, the second after all. */
async function two(): Promise<{ idle: RedisFrontier; busy: RedisFrontier; clock: TestClock }> {
  const { url, nodes } = await servers();
  await nodes[0]?.ask('FLUSHALL');
  const clock = testClock();
  const open = async () => {
    const store = await openStore({ url, replicas: 0, clock: systemClock() });
    return await openRedisFrontier({ store, clock, time: 'given', groups, sweepEveryMs: 3_000 });
  };
  const [idle, busy] = [await open(), await open()];
  opened.push(idle, busy);
  idle.lookAfter(none);
  busy.lookAfter(all);
  await idle.openCrawl(settings);
  await busy.openCrawl(settings);
  return { idle, busy, clock };
}

const ask = { worker: 'w' as WorkerId, hosts: 10, urlsPerHost: 1 };
const nextSweep = (clock: TestClock) => clock.advance(3_001);

describe('groups that another process looks after', () => {
  it('are swept by that one, or by whoever sweeps all', async () => {
    const { idle, busy, clock } = await two();
    await busy.offer(crawlA, [offerOf('http://a.test/'), offerOf('http://b.test/')]);
    expect((await busy.lease({ ...ask, hosts: 1 })).leases).toHaveLength(1);
    clock.advance(settings.leaseTtlMs + 1);
    expect(await idle.sweep()).toMatchObject({ expired: 0 });
    expect(await busy.sweep()).toMatchObject({ expired: 1 });
    expect((await busy.lease(ask)).leases).toHaveLength(1);
    clock.advance(settings.leaseTtlMs + 1);
    expect(await idle.sweepWhole()).toMatchObject({ expired: 1 });
  });

  it('are looked at all the same: what is due there is leased, and the end of a crawl is seen', async () => {
    const { idle, busy, clock } = await two();
    await idle.sweep();
    expect((await idle.lease(ask)).leases).toEqual([]);
    await busy.offer(crawlA, [offerOf('http://a.test/')]);
    await idle.sweep();
    const [lease] = (await idle.lease(ask)).leases;
    expect(lease?.host).toBe('a.test');
    expect(await busy.finish(crawlA)).toBe(false);
    await idle.report([{ ...lease!, settled: [], news: quiet, close: true }]);
    await busy.sweep();
    const [again] = (await busy.lease(ask)).leases;
    await busy.report([{ ...again!, settled: [outcome(again!.entries[0]!)], news: quiet, close: true }]);
    expect(await busy.finish(crawlA)).toBe(true);
    nextSweep(clock);
    await idle.sweep();
    expect(await idle.finish(crawlA)).toBe(true);
  });
});

describe('a duty of the whole store', () => {
  it('is done by one at a time, and by another when its time is over', async () => {
    const { idle, busy } = await two();
    expect(await idle.claim('sweep', 300)).toBe(true);
    expect(await busy.claim('sweep', 300)).toBe(false);
    expect(await busy.claim('other', 60_000)).toBe(true);
    await vi.waitFor(async () => expect(await busy.claim('sweep', 60_000)).toBe(true), 5_000);
    expect(await idle.claim('sweep', 300)).toBe(false);
  });
});
