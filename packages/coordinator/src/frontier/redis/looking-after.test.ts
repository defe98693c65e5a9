import { systemClock, type WorkerId } from '@webfarer/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import { type TestClock, testClock } from '../suite/clock.fixture.ts';
import { crawlA, offerOf, openSeeded, outcome, quiet, settings } from '../suite/world.fixture.ts';
import { openRedisFrontier, type RedisFrontier } from './redis-frontier.ts';
import { openStore, type StoreCall } from '../../redis/store.ts';

const servers = redisForFile({ settings: { appendonly: 'no' } });
const groups = 16;
const all = new Set(Array.from({ length: groups }, (_, group) => group));
const none = new Set<number>();
const opened: RedisFrontier[] = [];

afterEach(async () => {
  for (const frontier of opened.splice(0)) await frontier.close();
});

/** Two processes on one store: the first looks after no group, the second after all. */
async function two(): Promise<{
  idle: RedisFrontier;
  busy: RedisFrontier;
  clock: TestClock;
  /** Calls to groups so far, of both. */
  calls: () => number;
}> {
  const { url, nodes } = await servers();
  await nodes[0]?.ask('FLUSHALL');
  const clock = testClock();
  let count = 0;
  const counting = (calls: StoreCall[]) => {
    count += calls.filter(({ key }) => key.startsWith('{g')).length;
  };
  const open = async () => {
    const store = await openStore({ url, replicas: 0, clock: systemClock(), fault: counting });
    return await openRedisFrontier({ store, clock, time: 'given', groups, sweepEveryMs: 3_000 });
  };
  const [idle, busy] = [await open(), await open()];
  opened.push(idle, busy);
  idle.lookAfter(none);
  busy.lookAfter(all);
  await openSeeded(idle, settings);
  await openSeeded(busy, settings);
  return { idle, busy, clock, calls: () => count };
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

describe('while nothing happens for long', () => {
  const step = 400;

  /** Steps of upkeep as a coordinator takes them; answers how many leases they ended. */
  async function upkeep(frontier: RedisFrontier, clock: TestClock, ms: number): Promise<number> {
    let expired = 0;
    for (let passed = 0; passed < ms; passed += step) {
      clock.advance(step);
      expired += (await frontier.sweep()).expired;
    }
    return expired;
  }

  // One of them would be met by a sweep of all groups by chance.
  it.each([20_000, 23_200, 26_400, 29_600])('a lease of the dead ends within one sweep, %i', async (ms) => {
    const { idle: dead, busy: frontier, clock } = await two();
    await upkeep(frontier, clock, ms);
    await dead.offer(crawlA, [offerOf('http://a.test/')]);
    expect((await dead.lease(ask)).leases).toHaveLength(1);
    expect(await upkeep(frontier, clock, settings.leaseTtlMs - step)).toBe(0);
    expect(await upkeep(frontier, clock, 3_000 + 2 * step)).toBe(1);
  });

  it('groups that came over from another process are swept soon', async () => {
    const { idle: dead, busy: frontier, clock } = await two();
    frontier.lookAfter(none);
    await dead.offer(crawlA, [offerOf('http://a.test/')]);
    expect((await dead.lease(ask)).leases).toHaveLength(1);
    expect(await upkeep(frontier, clock, settings.leaseTtlMs + 20_000)).toBe(0);
    frontier.lookAfter(all);
    expect(await upkeep(frontier, clock, 3_000 + 2 * step)).toBe(1);
  });

  it('work that another process brought is found within a few seconds', async () => {
    const { idle: other, busy: frontier, clock } = await two();
    await frontier.lease(ask);
    await upkeep(frontier, clock, 20_000);
    await frontier.lease(ask);
    await other.offer(crawlA, [offerOf('http://a.test/')]);
    await upkeep(frontier, clock, 9 * step);
    expect((await frontier.lease(ask)).leases).toHaveLength(1);
  });

  it('the store is asked seldom, though somebody asks for work all the time', async () => {
    const { busy: frontier, clock, calls } = await two();
    const pass = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += step) {
        await frontier.lease(ask);
        await upkeep(frontier, clock, step);
      }
    };
    await pass(20_000);
    const before = calls();
    await pass(12_800);
    // Up to four looks, and one or two sweeps of two calls each.
    expect(calls() - before).toBeLessThanOrEqual(groups * 8);
  });
});

it('whether a crawl is over is asked of one group while something is left there', async () => {
  const { busy: frontier, calls } = await two();
  await frontier.offer(crawlA, [offerOf('http://a.test/')]);
  const [lease] = (await frontier.lease(ask)).leases;
  expect(await frontier.finish(crawlA)).toBe(false);
  const before = calls();
  expect(await frontier.finish(crawlA)).toBe(false);
  expect(calls() - before).toBe(1);
  await frontier.report([{ ...lease!, settled: [outcome(lease!.entries[0]!)], news: quiet, close: true }]);
  expect(await frontier.finish(crawlA)).toBe(true);
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

  it('is renewed by the process that has it, and free once that has given it back', async () => {
    const { idle, busy } = await two();
    const { nodes } = await servers();
    expect(await idle.claim('sweep', 30_000)).toBe(true);
    expect(await idle.claim('sweep', 60_000)).toBe(true);
    expect(Number(await nodes[0]?.ask('PTTL', '{wf}K:sweep'))).toBeGreaterThan(30_000);
    await busy.release('sweep');
    expect(await busy.claim('sweep', 60_000)).toBe(false);
    await idle.release('sweep');
    expect(await busy.claim('sweep', 60_000)).toBe(true);
    expect(await idle.claim('sweep', 60_000)).toBe(false);
  });
});
