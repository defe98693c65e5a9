import { type HostLease, systemClock, type WorkerId } from '@webfarer/protocol';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import { openStore, type RedisStore, type StoreCall } from '../../redis/store.ts';
import { type TestClock, testClock } from '../suite/clock.fixture.ts';
import { crawlA, failure, offerOf, outcome, quiet, settings } from '../suite/world.fixture.ts';
import { emptyStore } from './compared.fixture.ts';
import { drawMs } from './context/ledger.ts';
import { openRedisFrontier, type RedisFrontier } from './redis-frontier.ts';

const servers = redisForFile({ settings: { appendonly: 'no' } });
const ask = { worker: 'w' as WorkerId, hosts: 4, urlsPerHost: 5 };
const ceiling = 40;
const urls = Array.from({ length: 12 }, (_, host) =>
  Array.from({ length: 10 }, (__, page) => offerOf(`https://h${host}.x${host}.test/${page}`)),
).flat();
let clock: TestClock;

async function connected(): Promise<RedisStore> {
  return await openStore({ url: (await servers()).url, replicas: 0, clock: systemClock() });
}

beforeEach(async () => {
  clock = testClock();
  const store = await connected();
  await emptyStore(store);
  await store.close();
});

/** Told of every script that is about to be sent; asking for leases is `lease`, freeing those that ran out is not. */
type Before = (name: string) => Promise<void>;

function nameOf({ script, args }: StoreCall): string {
  const name = /^wf_(\w+?)_/.exec(script?.name ?? '')?.[1] ?? '';
  return name === 'lease' && !args.includes(ask.worker) ? 'free' : name;
}

/** One coordinator; `before` may hold it up before it sends calls of a script, for ever if it is to be dead. */
async function coordinator(before: Before = async () => {}): Promise<RedisFrontier> {
  const store = await connected();
  const run: RedisStore['run'] = async (calls: StoreCall[], options) => {
    for (const call of calls) await before(nameOf(call));
    return await store.run(calls, options);
  };
  const frontier = await openRedisFrontier({ store: { ...store, run }, clock, time: 'given', groups: 4 });
  onTestFinished(() => frontier.close());
  return frontier;
}

const dead = new Promise<never>(() => {});

/** A coordinator that works until it is about to send this script for the nth time, and from then on no more. */
async function dying(script: string, times = 1): Promise<{ frontier: RedisFrontier; isDead: Promise<void> }> {
  const died = Promise.withResolvers<void>();
  let left = times;
  let isOver = false;
  const frontier = await coordinator(async (name) => {
    if (name === script) left--;
    isOver ||= left <= 0;
    if (!isOver) return;
    died.resolve();
    await dead;
  });
  return { frontier, isDead: died.promise };
}

async function opened(
  frontier: RedisFrontier,
  limits: { pages?: number } = { pages: ceiling },
): Promise<void> {
  await frontier.openCrawl({ ...settings, gapMs: 0, limits });
  await frontier.seed(crawlA, urls, { last: true });
}

async function report(frontier: RedisFrontier, leases: readonly HostLease[], done = true): Promise<void> {
  const settled = (lease: HostLease) =>
    lease.entries.map((entry) => (done ? outcome(entry, { record: { bytes: 1 } }) : failure(entry)));
  await frontier.report(
    leases.map((lease) => ({ ...lease, settled: settled(lease), news: quiet, close: true })),
  );
}

/** Works until the crawl is limited, or nothing happens any more for so many asks. */
async function work(frontier: RedisFrontier, patience = 3): Promise<'pages' | 'bytes' | undefined> {
  for (let idle = 0; idle < patience; ) {
    const { leases, limited } = await frontier.lease(ask);
    await report(frontier, leases);
    if (leases.length > 0) continue;
    idle++;
    if (limited.length === 0) continue;
    const by = await frontier.limit(crawlA);
    if (by) return by;
  }
  return undefined;
}

const balance = (frontier: RedisFrontier) => frontier.balance(crawlA);

describe('page permits', () => {
  it('come back where coordinators died between drawing and leasing', async () => {
    const limits = { pages: 60 };
    const alive = await coordinator();
    await opened(alive, limits);
    for (let n = 0; n < 3; n++) {
      const { frontier, isDead } = await dying('lease');
      frontier.lease(ask).catch(() => undefined);
      await isDead;
    }
    // Nobody knows yet that they are dead: their pages may still come.
    expect(await work(alive)).toBeUndefined();
    expect(await balance(alive)).toMatchObject({ done: 0, leased: 0 });
    clock.advance(drawMs);
    expect(await work(alive)).toBe('pages');
    expect(await balance(alive)).toMatchObject({ done: 60, leased: 0 });
  });

  it('are neither lost nor used twice where a coordinator died after leasing, before the store knew', async () => {
    const alive = await coordinator();
    await opened(alive);
    // The first call draws, the second ends the draw.
    const { frontier, isDead } = await dying('ledger', 2);
    frontier.lease(ask).catch(() => undefined);
    await isDead;
    expect((await balance(alive)).leased).toBeGreaterThan(0);
    clock.advance(drawMs);
    expect(await work(alive)).toBeUndefined();
    // No worker ever heard of them.
    clock.advance(settings.leaseTtlMs);
    await alive.sweep();
    expect(await work(alive)).toBe('pages');
    expect(await balance(alive)).toMatchObject({ done: ceiling, leased: 0 });
  });

  it('that ran out while their coordinator was stopped are not used by it any more', async () => {
    const gate = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    let holds = true;
    const quick = await coordinator();
    await opened(quick);
    const stopped = await coordinator(async (name) => {
      if (name !== 'lease' || !holds) return;
      holds = false;
      reached.resolve();
      await gate.promise;
    });
    const late = stopped.lease(ask);
    await reached.promise;
    clock.advance(drawMs);
    for (let turn = 0; turn < 6; turn++) await report(quick, (await quick.lease(ask)).leases);
    gate.resolve();
    const { leases } = await late;
    await report(stopped, leases);
    expect(leases).toEqual([]);
    expect(await work(quick)).toBe('pages');
    expect(await balance(quick)).toMatchObject({ done: ceiling, leased: 0 });
  });

  it('of pages that failed come back where the coordinator died that was told', async () => {
    const alive = await coordinator();
    await opened(alive);
    const { leases } = await alive.lease(ask);
    const count = leases.flatMap(({ entries }) => entries).length;
    const { frontier, isDead } = await dying('ledger');
    report(frontier, leases, false).catch(() => undefined);
    await isDead;
    expect(await balance(alive)).toMatchObject({ failed: count, leased: 0 });
    expect(await work(alive, 9)).toBe('pages');
    expect(await balance(alive)).toMatchObject({ done: ceiling, failed: count, leased: 0 });
  });
});

describe('limits that are edited', () => {
  it('forget nothing that two coordinators have in flight', async () => {
    const one = await coordinator();
    const other = await coordinator();
    await opened(one);
    let limit = ceiling;
    let highest = ceiling;
    for (let edit = 0; edit < 6; edit++) {
      const inFlight = [await one.lease(ask), await other.lease(ask)];
      limit += edit % 2 === 0 ? 7 : -3;
      highest = Math.max(highest, limit);
      const edited = { ...settings, gapMs: 0, limits: { pages: limit }, edit: edit + 1 };
      const opening = Promise.all([one.openCrawl(edited), other.openCrawl(edited)]);
      await Promise.all([report(one, inFlight[0]!.leases), report(other, inFlight[1]!.leases), opening]);
      expect((await balance(one)).done).toBeLessThanOrEqual(highest);
    }
    const most = Math.max((await balance(one)).done, limit);
    expect(await work(one)).toBe('pages');
    expect(await balance(one)).toMatchObject({ done: most, leased: 0 });
  });

  it('hold for a coordinator that has not heard of them', async () => {
    const one = await coordinator();
    const other = await coordinator();
    await opened(one, {});
    await other.openCrawl({ ...settings, gapMs: 0, limits: {} });
    const before = await other.lease(ask);
    await report(other, before.leases);
    const done = (await balance(one)).done;
    await one.openCrawl({ ...settings, gapMs: 0, limits: { pages: done + 5 } });
    expect((await other.lease(ask)).leases).toEqual([]);
    expect(await work(one)).toBe('pages');
    expect(await balance(one)).toMatchObject({ done: done + 5 });
  });
});

describe('a crawl', () => {
  it('is not limited while pages are drawn that nobody has leased, as with a full store', async () => {
    const gate = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const quick = await coordinator();
    await opened(quick, { pages: 20 });
    const slow = await coordinator(async (name) => {
      if (name !== 'lease') return;
      reached.resolve();
      await gate.promise;
    });
    const slowly = slow.lease(ask);
    await reached.promise;
    expect((await quick.lease(ask)).limited).toEqual([{ crawl: 'a', by: 'pages' }]);
    expect(await balance(quick)).toMatchObject({ done: 0, leased: 0 });
    expect(await quick.limit(crawlA)).toBeUndefined();
    gate.resolve();
    const { leases } = await slowly;
    expect(await quick.limit(crawlA)).toBeUndefined();
    await report(slow, leases);
    expect(await work(quick)).toBe('pages');
    expect(await balance(quick)).toMatchObject({ done: 20, leased: 0 });
    // Others are told by what it was.
    expect([await slow.state(crawlA), await slow.limit(crawlA)]).toEqual(['limited', 'pages']);
  });
});
