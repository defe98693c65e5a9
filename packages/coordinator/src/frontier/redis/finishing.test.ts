import { type HostKey, systemClock, type WorkerId } from '@webfarer/protocol';
import { groupOf, siteOf } from '@webfarer/protocol/url';
import { describe, expect, it } from 'vitest';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import { testClock } from '../suite/clock.fixture.ts';
import { crawlA, offerOf, openSeeded, outcome, quiet, settings } from '../suite/world.fixture.ts';
import { emptyStore } from './compared.fixture.ts';
import { openRedisFrontier, type RedisFrontier } from './redis-frontier.ts';
import type { Reply } from '../../redis/wire/resp.ts';
import { openStore, type StoreCall } from '../../redis/store.ts';

const servers = redisForFile({ settings: { appendonly: 'no' } });
const groups = 2;

/** The three rounds of a finisher, and the word that ends the crawl. */
type Round = 'look' | 'close' | 'check' | 'end';
/** Called in the middle of a round, after the first group was asked, and before the last word. */
type Between = (round: Round) => Promise<void>;

/** One of each group. */
const hostsNamed = (name: string) =>
  [0, 1].map(
    (group) =>
      Array.from({ length: 99 }, (_, i) => `www.${name}${i}.com` as HostKey).find(
        (host) => groupOf(siteOf(host)) % groups === group,
      ) as HostKey,
  ) as [HostKey, HostKey];
const hosts = hostsNamed('site');
const ask = { worker: 'w' as WorkerId, hosts: 1, urlsPerHost: 1 };

function roundOf(calls: StoreCall[], closes: number): Round | undefined {
  if (calls.some(({ script }) => script?.name.startsWith('wf_finish_'))) return 'end';
  if (calls.length !== groups) return undefined;
  if (calls.every(({ script }) => script?.name.startsWith('wf_closeGroup_')))
    return closes % 2 === 0 ? 'close' : 'check';
  return calls.every(({ args }) => args[0] === 'HMGET') ? 'look' : undefined;
}

/** A process that asks its groups one after the other, in a chosen order, and lets others act in between. */
async function finisher(
  between: Between = async () => {},
  order: Partial<Record<Round, number[]>> = {},
): Promise<RedisFrontier> {
  const { url } = await servers();
  const store = await openStore({ url, replicas: 0, clock: systemClock() });
  let closes = 0;
  const run: typeof store.run = async (calls, options) => {
    const round = roundOf(calls, closes);
    if (round === undefined) return await store.run(calls, options);
    if (round === 'end') {
      await between(round);
      return await store.run(calls, options);
    }
    if (round !== 'look') closes++;
    const replies: (Reply | undefined)[] = [];
    for (const [nth, i] of (order[round] ?? [0, 1]).entries()) {
      if (nth === 1) await between(round);
      [replies[i]] = await store.run([calls[i] as StoreCall], options);
    }
    return replies.map((reply) => reply ?? null);
  };
  const frontier = await openRedisFrontier({
    store: { ...store, run },
    clock: testClock(),
    time: 'given',
    groups,
  });
  await openSeeded(frontier, { ...settings, gapMs: 0 });
  // It has come into both groups, with hosts that no test asks for.
  for (const host of hostsNamed('other')) await frontier.leaseHost({ ...ask, crawl: crawlA, host });
  return frontier;
}

async function empty(): Promise<void> {
  const { url } = await servers();
  const store = await openStore({ url, replicas: 0, clock: systemClock() });
  await emptyStore(store);
  await store.close();
}

/** The one page that is left answers a redirect into the other group. */
async function hop(crawler: RedisFrontier, to: number, n: number): Promise<void> {
  const [lease] = (await crawler.lease(ask)).leases;
  const offers = [offerOf(`https://${hosts[to]}/${n}`)];
  const settled = [outcome(lease!.entries[0]!, { offers })];
  await crawler.report([{ ...lease!, settled, news: quiet, close: true }]);
}

describe('finishing', () => {
  it('is not possible for two at once while a chain of redirects goes back and forth', async () => {
    await empty();
    const crawler = await finisher();
    let other: Promise<boolean> | undefined;
    const gate = Promise.withResolvers<void>();
    const atGate = Promise.withResolvers<void>();
    const second = await finisher(
      async (round) => {
        if (round === 'look') await hop(crawler, 0, 3);
        if (round === 'close') {
          atGate.resolve();
          await gate.promise;
        }
      },
      { close: [1, 0] },
    );
    const first = await finisher(
      async (round) => {
        if (round === 'look') await hop(crawler, 0, 1);
        if (round === 'close') await hop(crawler, 1, 2);
        if (round !== 'check') return;
        other = second.finish(crawlA);
        await Promise.race([atGate.promise, other]);
      },
      { close: [1, 0] },
    );
    await crawler.offer(crawlA, [offerOf(`https://${hosts[1]}/0`)]);
    const ended = await first.finish(crawlA);
    gate.resolve();
    expect([ended, await other]).toEqual([false, false]);
    expect(await crawler.balance(crawlA)).toMatchObject({ queued: 1 });
    expect(await crawler.state(crawlA)).toBe('running');
    // Nobody is in the way of what is left, and of the end.
    await crawler.sweep();
    const [lease] = (await crawler.lease(ask)).leases;
    const settled = [outcome(lease!.entries[0]!)];
    await crawler.report([{ ...lease!, settled, news: quiet, close: true }]);
    expect(await crawler.finish(crawlA)).toBe(true);
  });

  it('by several at once is the same end', async () => {
    await empty();
    const others: Promise<boolean>[] = [];
    const second = await finisher();
    const first = await finisher(async (round) => {
      if (round !== 'end') others.push(second.finish(crawlA));
    });
    expect(await first.finish(crawlA)).toBe(true);
    expect(await Promise.all(others)).toEqual([true, true, true]);
  });

  it('leaves nothing closed where the finisher dies: a host of any group can be leased', async () => {
    for (const at of ['close', 'check', 'end'] as const) {
      await empty();
      const crawler = await finisher();
      const dying = await finisher(async (round) => {
        if (round !== at) return;
        await crawler.offer(crawlA, [offerOf(`https://${hosts[0]}/`)]);
        throw new Error('killed');
      });
      await expect(dying.finish(crawlA)).rejects.toThrow('killed');
      // Such as for a robots.txt that redirects into the other group.
      for (const host of hosts)
        expect(await crawler.leaseHost({ ...ask, crawl: crawlA, host })).toMatchObject({ granted: true });
      expect(await crawler.finish(crawlA)).toBe(false);
      expect(await crawler.state(crawlA)).toBe('running');
    }
  });

  it('does not happen when something comes in after the last look', async () => {
    await empty();
    const crawler = await finisher();
    const late = await finisher(async (round) => {
      if (round === 'end') await crawler.offer(crawlA, [offerOf(`https://${hosts[0]}/`)]);
    });
    expect(await late.finish(crawlA)).toBe(false);
    expect(await crawler.state(crawlA)).toBe('running');
  });

  it('does not happen when something comes into a group that the crawl has not been in', async () => {
    await empty();
    const { url } = await servers();
    const store = await openStore({ url, replicas: 0, clock: systemClock() });
    const crawler = await openRedisFrontier({ store, clock: testClock(), time: 'given', groups });
    await openSeeded(crawler, settings);
    await crawler.leaseHost({ ...ask, crawl: crawlA, host: hosts[0] });
    let comes = true;
    const run: typeof store.run = async (calls, options) => {
      if (comes && calls.some(({ script }) => script?.name.startsWith('wf_finish_'))) {
        comes = false;
        await crawler.offer(crawlA, [offerOf(`https://${hosts[1]}/`)]);
      }
      return await store.run(calls, options);
    };
    const late = await openRedisFrontier({
      store: { ...store, run },
      clock: testClock(),
      time: 'given',
      groups,
    });
    expect(await late.finish(crawlA)).toBe(false);
    expect(comes).toBe(false);
    expect(await crawler.state(crawlA)).toBe('running');
    await late.sweep();
    expect(await late.balance(crawlA)).toMatchObject({ known: 1, queued: 1 });
    expect((await late.lease(ask)).leases).toHaveLength(1);
    await store.close();
  });

  it('does not happen when seeds come in after the last look', async () => {
    await empty();
    const crawler = await finisher();
    const late = await finisher(async (round) => {
      if (round === 'end') await crawler.seed(crawlA, [offerOf(`https://${hosts[0]}/`)], { last: true });
    });
    expect(await late.finish(crawlA)).toBe(false);
    expect(await crawler.state(crawlA)).toBe('running');
  });

  it('keeps a paused crawl paused where it fails', async () => {
    await empty();
    const crawler = await finisher();
    const late = await finisher(async (round) => {
      if (round === 'check') await crawler.offer(crawlA, [offerOf(`https://${hosts[0]}/`)]);
    });
    await crawler.setState(crawlA, 'paused');
    expect(await late.finish(crawlA)).toBe(false);
    await crawler.sweep();
    expect((await crawler.lease(ask)).leases).toEqual([]);
  });
});

describe('a finished crawl that is given work', () => {
  it('runs again for whoever opens it, where the giver died before it could say so', async () => {
    await empty();
    const crawler = await finisher();
    expect(await crawler.finish(crawlA)).toBe(true);
    const { url } = await servers();
    let dead = false;
    const fault = (calls: StoreCall[]) => {
      if (dead && calls.some(({ script }) => script?.name.startsWith('wf_reopen_')))
        throw new Error('killed');
    };
    const store = await openStore({ url, replicas: 0, clock: systemClock(), fault });
    const giver = await openRedisFrontier({ store, clock: testClock(), time: 'given', groups });
    dead = true;
    await expect(giver.offer(crawlA, [offerOf(`https://${hosts[0]}/`)])).rejects.toThrow('killed');
    expect(await crawler.state(crawlA)).toBe('finished');
    const next = await finisher();
    expect(await next.state(crawlA)).toBe('running');
    expect((await next.lease(ask)).leases).toHaveLength(1);
  });

  it('runs again where the answer that said so was lost', async () => {
    await empty();
    const { url } = await servers();
    const store = await openStore({ url, replicas: 0, clock: systemClock(), loseAnswers: () => true });
    const giver = await openRedisFrontier({ store, clock: testClock(), time: 'given', groups });
    await openSeeded(giver, settings);
    expect(await giver.finish(crawlA)).toBe(true);
    await giver.offer(crawlA, [offerOf(`https://${hosts[0]}/`)]);
    expect(await giver.state(crawlA)).toBe('running');
  });
});

it('a crawl that another process has finished is over here, whatever was last heard of it', async () => {
  await empty();
  const [here, elsewhere] = [await finisher(), await finisher()];
  await here.offer(crawlA, [offerOf(`http://${hosts[0]}/`)]);
  await elsewhere.sweep();
  const { leases } = await elsewhere.lease(ask);
  const [lease] = leases;
  const settled = [outcome(lease!.entries[0]!)];
  await elsewhere.report([{ ...lease!, settled, news: quiet, close: true }]);
  await elsewhere.sweep();
  expect(await elsewhere.finish(crawlA)).toBe(true);
  expect(await here.state(crawlA)).toBe('finished');
  expect(await here.finish(crawlA)).toBe(true);
  await here.close();
  await elsewhere.close();
});
