import { type CrawlId, systemClock, type Url } from '@webfarer/protocol';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { redisForFile } from '../../../../../../test/redis/for-file.ts';
import { openStore, type StoreCall } from '../../../redis/store.ts';
import { forgetAll } from '../../forgetting.ts';
import { testClock } from '../../suite/clock.fixture.ts';
import { answered, offerOf, openSeeded, outcome, settings, worker } from '../../suite/world.fixture.ts';
import { emptyStore } from '../compared.fixture.ts';
import { drainedTo } from '../draining/drained.fixture.ts';
import { openRedisFrontier, type RedisFrontier } from '../redis-frontier.ts';

/** Hosts of a crawl are forgotten by two processes at once, or by one that dies on the way. */

const servers = redisForFile({ settings: { appendonly: 'no' } });
const crawl = settings.id as CrawlId;
const clock = testClock();
const hosts = ['a.test', 'b.test', 'gone.test', 'lost.test'];

const drained = drainedTo();
afterAll(() => drained.remove());

type Held = (calls: StoreCall[]) => Promise<void>;

/** A process; `before` and `after` are told of each of its calls and may hold them up. */
async function coordinator(
  before: Held = async () => {},
  after: Held = async () => {},
): Promise<RedisFrontier> {
  const store = await openStore({ url: (await servers()).url, replicas: 0, clock: systemClock() });
  const run: typeof store.run = async (calls, options) => {
    await before(calls);
    const replies = await store.run(calls, options);
    await after(calls);
    return replies;
  };
  const backlog = { ...drained.backlog, results: 1, onlyWhenAsked: true };
  const parts = { store: { ...store, run }, clock, time: 'given', groups: 1, backlog } as const;
  const frontier = await openRedisFrontier(parts);
  onTestFinished(() => frontier.close());
  return frontier;
}

/** One page of each host, which links to all others; nothing is queued. */
async function crawled(): Promise<RedisFrontier> {
  const store = await openStore({ url: (await servers()).url, replicas: 0, clock: systemClock() });
  await emptyStore(store);
  await store.close();
  const frontier = await coordinator();
  await openSeeded(frontier, settings);
  const urls = hosts.map((host) => `http://${host}/` as Url);
  await frontier.offer(
    crawl,
    urls.map((url) => offerOf(url)),
  );
  const { leases } = await frontier.lease({ worker, hosts: hosts.length, urlsPerHost: 1 });
  const edges = urls.map((to) => ({ to, rel: 'a' }));
  await frontier.report(
    leases.map(({ id, host, fence, entries }) => {
      const settled = entries.map((entry) => outcome(entry, { edges }));
      return { id, crawl, host, fence, settled, news: answered, close: true };
    }),
  );
  await frontier.setState(crawl, 'stopped');
  return frontier;
}

const forget = (frontier: RedisFrontier, pattern: string) =>
  forgetAll(frontier, crawl, { pattern, moved: [] }, async (ms) => clock.advance(ms));

/** Which hosts have a record, which are linked to, and how many links the sum says there are. */
async function kept(frontier: RedisFrontier) {
  const found: string[] = [];
  const links: string[] = [];
  for await (const record of frontier.results.records(crawl)) found.push(new URL(record.url).host);
  for (const host of found) {
    const edges = await frontier.results.edgesOf(crawl, `http://${host}/` as Url);
    links.push(...edges.map(({ to }) => new URL(to).host));
  }
  const { edges } = await frontier.totals(crawl);
  return { found: found.toSorted(), linked: [...new Set(links)].toSorted(), links: links.length, edges };
}

const callsOf = (script: string) => (calls: StoreCall[]) =>
  calls.some((call) => call.script?.name.startsWith(`wf_${script}_`));

it('keeps all other results where two processes rewrite the same ones', async () => {
  const quick = await crawled();
  const [reached, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = await coordinator(async (calls) => {
    if (!callsOf('replaceRecords')(calls)) return;
    reached.resolve();
    await letGo.promise;
  });
  const forgetting = forget(slow, 'gone.test');
  await reached.promise;
  await forget(quick, 'lost.test');
  letGo.resolve();
  await forgetting;
  const others = ['a.test', 'b.test'];
  expect(await kept(quick)).toEqual({ found: others, linked: others, links: 4, edges: 4 });
});

it('counts the links that are left where the process died right after it rewrote them', async () => {
  const alive = await crawled();
  const died = Promise.withResolvers<void>();
  let isOver = false;
  const dead = await coordinator(async (calls) => {
    if (isOver) {
      died.resolve();
      await new Promise(() => {});
    }
    isOver = callsOf('replaceRecords')(calls);
  });
  forget(dead, 'gone.test').catch(() => undefined);
  await died.promise;
  await forget(alive, 'gone.test');
  expect(await kept(alive)).toMatchObject({ links: 9, edges: 9 });
});

it.each(['before', 'after'])(
  'counts the links that are left where the process died %s it rewrote a file',
  async (when) => {
    const alive = await crawled();
    expect(await alive.drain()).toBe(hosts.length);
    const died = Promise.withResolvers<void>();
    let times = 0;
    const die: Held = async (calls) => {
      if (!callsOf('countFile')(calls) || ++times < (when === 'before' ? 1 : 2)) return;
      died.resolve();
      await new Promise(() => {});
    };
    const dead = await (when === 'before' ? coordinator(undefined, die) : coordinator(die));
    forget(dead, 'gone.test').catch(() => undefined);
    await died.promise;
    await forget(alive, 'gone.test');
    expect(await kept(alive)).toMatchObject({ links: 9, edges: 9 });
  },
);

it('does not say that all is gone where queued URLs that name the host keep moving', async () => {
  const frontier = await crawled();
  const { nodes } = await servers();
  await frontier.setState(crawl, 'running');
  await frontier.offer(crawl, [offerOf('http://gone.test/list')]);
  clock.advance(60_000);
  const [lease] = (await frontier.lease({ worker, hosts: 1, urlsPerHost: 1 })).leases;
  const offers = ['1', '2'].map((path) => offerOf(`http://a.test/${path}`, { depth: 1 }));
  const settled = [outcome(lease!.entries[0]!, { offers })];
  await frontier.report([{ ...lease!, settled, news: answered, close: true }]);
  await frontier.setState(crawl, 'stopped');
  let passes = 0;
  const lists = async (...ask: string[]) => ((await nodes[0]?.ask(...ask)) ?? []) as string[];
  const [queue = ''] = await lists('KEYS', '{g0}1[0-8]:a.test');
  const turned = await coordinator(async (calls) => {
    if (!callsOf('rewriteQueue')(calls)) return;
    passes++;
    await lists('LMOVE', queue, queue, 'LEFT', 'RIGHT');
  });
  await expect(forget(turned, 'gone.test')).rejects.toMatchObject({ code: 'conflict' });
  expect(passes).toBe(20);
  await forget(frontier, 'gone.test');
  const queued = await lists('LRANGE', queue, '0', '-1');
  expect(queued).toHaveLength(2);
  expect(queued.join(' ')).not.toContain('gone.test');
});
