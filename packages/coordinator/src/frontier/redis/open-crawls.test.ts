import { type DatedClock, type CrawlId, systemClock, type WorkerId } from '@webfarer/protocol';
import { expect, it, vi } from 'vitest';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import { retryAll } from '../all-steps.ts';
import { testClock } from '../suite/clock.fixture.ts';
import { answered, failure, offerOf, openSeeded, outcome, settings } from '../suite/world.fixture.ts';
import { openRedisFrontier, type RedisFrontierOptions } from './redis-frontier.ts';
import { openStore } from '../../redis/store.ts';
import type { StoreCall } from '../../redis/client/call.ts';

const servers = redisForFile({ settings: { appendonly: 'no' } });
const groups = 64;
const ask = { worker: 'w' as WorkerId, hosts: 4, urlsPerHost: 1 };
const idOf = (n: number) => `crawl-${n}` as CrawlId;

/** A frontier that counts its calls by the name of the script, and keeps their arguments. */
async function open(
  options: Pick<RedisFrontierOptions, 'groups' | 'backlog' | 'time'> = { groups },
  clock: DatedClock = systemClock(),
) {
  const { url, nodes } = await servers();
  await nodes[0]?.ask('FLUSHALL');
  let calls: StoreCall[] = [];
  const fault = (sent: StoreCall[]) => void calls.push(...sent);
  const store = await openStore({ url, replicas: 0, clock: systemClock(), fault });
  const frontier = await openRedisFrontier({ store, clock, ...options });
  return {
    frontier,
    store,
    /** The streams whose length the work asked for. */
    async lengthsAsked(work: () => Promise<unknown>): Promise<string[]> {
      calls = [];
      await work();
      return calls.filter(({ args }) => args[0] === 'XLEN').map(({ args }) => String(args[1]));
    },
    /** What the work sent of a script. */
    async sent(name: string, work: () => Promise<unknown>): Promise<StoreCall[]> {
      calls = [];
      await work();
      return calls.filter(({ script }) => script?.name.startsWith(`wf_${name}_`));
    },
  };
}

/** The clock of the store may be ahead of what is known of it here by a moment. */
const untilDue = (frontier: { dueInMs(crawl: CrawlId): number }, id: CrawlId) =>
  vi.waitFor(() => expect(frontier.dueInMs(id)).toBe(0), { interval: 1 });

it('a crawl that is opened, paused or resumed makes nobody ask groups about others, nor all groups about it', async () => {
  const { frontier, sent } = await open();
  for (let n = 0; n < 5; n++) {
    await openSeeded(frontier, { ...settings, id: idOf(n), gapMs: 3_600_000 });
    await frontier.offer(idOf(n), [offerOf(`http://h${n}.test/1`), offerOf(`http://h${n}.test/2`)]);
  }
  const lease = () => frontier.lease(ask);
  const first = await sent('lease', lease);
  expect(first.length).toBeLessThanOrEqual(5);
  // All wait for their gap from now on.
  await lease();
  expect(await sent('lease', lease)).toEqual([]);
  await openSeeded(frontier, { ...settings, id: idOf(5), gapMs: 3_600_000 });
  expect(await sent('lease', lease)).toEqual([]);
  await frontier.setState(idOf(0), 'paused');
  await frontier.setState(idOf(0), 'running');
  expect(await sent('lease', lease)).toEqual([]);
  await frontier.offer(idOf(5), [offerOf('http://h5.test/1')]);
  await untilDue(frontier, idOf(5));
  expect((await sent('lease', lease)).length).toBe(1);
  await frontier.close();
});

it('a lease names the crawls that have something in the group, not all that are open', async () => {
  const { frontier, sent } = await open();
  for (let n = 0; n < 20; n++) {
    await openSeeded(frontier, { ...settings, id: idOf(n), gapMs: 3_600_000 });
    await frontier.offer(idOf(n), [offerOf(`http://h${n}.test/1`)]);
  }
  // Somebody asks for all of them, so that each could be owed a turn.
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < 20; n++) await frontier.lease({ ...ask, crawls: [idOf(n)] });
    await frontier.sweep();
  }
  await frontier.offer(idOf(3), [offerOf('http://new.test/1')]);
  const [call] = await sent('lease', () => frontier.lease({ ...ask, crawls: [idOf(3)] }));
  expect(call).toBeDefined();
  expect(call?.args.length).toBeLessThan(16);
  await frontier.close();
});

it('knows without a question to the store when a crawl has something due', async () => {
  const { frontier } = await open();
  const id = idOf(0);
  expect(frontier.dueInMs(id)).toBe(0);
  await openSeeded(frontier, { ...settings, id, gapMs: 3_600_000 });
  expect(frontier.dueInMs(id)).toBe(Number.POSITIVE_INFINITY);
  await frontier.offer(id, [offerOf('http://a.test/1'), offerOf('http://a.test/2')]);
  await untilDue(frontier, id);
  const [lease] = (await frontier.lease(ask)).leases;
  expect(frontier.dueInMs(id)).toBeGreaterThan(1_000);
  const news = { endedAgoMs: 0, gapMs: 3_600_000, why: 'gap', health: 'ok' } as const;
  await frontier.report([{ ...lease!, settled: [], news, close: true }]);
  expect(frontier.dueInMs(id)).toBeGreaterThan(3_500_000);
  await frontier.setState(id, 'paused');
  expect(frontier.dueInMs(id)).toBe(Number.POSITIVE_INFINITY);
  await frontier.close();
});

it('asks all groups for a crawl that it has only heard of', async () => {
  const { frontier } = await open();
  const id = idOf(0);
  await openSeeded(frontier, { ...settings, id });
  await frontier.offer(id, [offerOf('http://a.test/1')]);
  const { url } = await servers();
  const clock = systemClock();
  const store = await openStore({ url, replicas: 0, clock });
  const other = await openRedisFrontier({ store, clock, groups });
  expect(other.dueInMs(id)).toBe(0);
  expect((await other.lease(ask)).leases).toHaveLength(1);
  await other.close();
  await frontier.close();
});

it('tells of a crawl that others change or bring something into', async () => {
  const { frontier, store } = await open();
  const id = idOf(0);
  await openSeeded(frontier, { ...settings, id });
  await openSeeded(frontier, { ...settings, id: idOf(1) });
  let told = 0;
  const unlisten = frontier.onChange(id, () => void told++);
  await frontier.sweep();
  const other = await openRedisFrontier({ store, clock: systemClock(), groups });
  const isTold = async (work: () => Promise<unknown>) => {
    told = 0;
    await work();
    await frontier.sweep();
    return told > 0;
  };
  expect(await isTold(() => other.offer(idOf(1), [offerOf('http://b.test/')]))).toBe(false);
  expect(await isTold(() => other.offer(id, [offerOf('http://a.test/')]))).toBe(true);
  expect(await isTold(() => other.setState(id, 'paused'))).toBe(true);
  expect(await isTold(async () => undefined)).toBe(false);
  unlisten();
  expect(await isTold(() => other.setState(id, 'running'))).toBe(false);
  await frontier.close();
});

it('looks for results that wait only where something has changed', async () => {
  const { frontier, lengthsAsked } = await open({ groups: 4, backlog: { results: 3, onlyWhenAsked: true } });
  const crawls = 40;
  for (let n = 0; n < crawls; n++) {
    await openSeeded(frontier, { ...settings, id: idOf(n) });
    await frontier.offer(
      idOf(n),
      [1, 2, 3].map((page) => offerOf(`http://h${n}.test/${page}`)),
    );
  }
  const asked = () => lengthsAsked(() => frontier.drain());
  /** A change is over a second after it was told of. */
  const rest = async () => {
    await asked();
    await later(1_100);
    return await asked();
  };
  const streams = await rest();
  expect(streams).toHaveLength(crawls);
  /** In how many looks the results of the first crawl were looked for. */
  const looksFor = async () => {
    let looks = 0;
    for (let n = 0; n < 8; n++) if ((await asked()).some((stream) => stream.endsWith('}1r'))) looks++;
    return looks;
  };
  // One group of those at rest has its turn in each look.
  expect(await asked()).not.toHaveLength(crawls);
  expect(await looksFor()).toBe(2);
  const { leases } = await frontier.lease({ ...ask, urlsPerHost: 3, crawls: [idOf(0)] });
  await frontier.report(
    leases.map(({ entries, ...lease }) => {
      return { ...lease, news: answered, close: true, settled: entries.map((entry) => outcome(entry)) };
    }),
  );
  await rest();
  // Nobody drains them here, so that they are looked at again.
  expect(await looksFor()).toBe(8);
  await frontier.close();
});

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

it('a crawl that is over is left alone once its results were looked at, and runs again where a URL is retried', async () => {
  const clock = testClock();
  const backlog = { results: 100, onlyWhenAsked: true };
  const { frontier, store, lengthsAsked } = await open({ groups, backlog, time: 'given' }, clock);
  const id = idOf(0);
  await openSeeded(frontier, { ...settings, id, gapMs: 0 });
  await frontier.offer(id, [offerOf('http://h0.test/1')]);
  const [lease] = (await frontier.lease(ask)).leases;
  const settled = [failure(lease!.entries[0]!)];
  await frontier.report([{ ...lease!, settled, news: { ...answered, gapMs: 0 }, close: true }]);
  expect(await frontier.finish(id)).toBe(true);
  const rest = async () => {
    clock.advance(31_000);
    await frontier.sweep();
  };
  await rest();
  // Nobody has looked yet how many of its results wait.
  expect(await lengthsAsked(() => frontier.drain())).toHaveLength(1);
  await rest();
  await rest();
  expect(await lengthsAsked(() => frontier.drain())).toEqual([]);
  expect([await frontier.state(id), (await frontier.balance(id)).failed]).toEqual(['finished', 1]);
  await rest();
  // It is dropped once more while the URL is on its way into the queue.
  const { run } = store;
  Object.assign(store, {
    async run(...[sent, options]: Parameters<typeof run>) {
      const replies = await run(sent, options);
      if (sent.some(({ script }) => script?.name.startsWith('wf_requeue_'))) await rest();
      return replies;
    },
  });
  expect(await retryAll(frontier, id, {})).toBe(1);
  expect(await frontier.state(id)).toBe('running');
  expect((await frontier.lease(ask)).leases).toHaveLength(1);
  await frontier.close();
});
