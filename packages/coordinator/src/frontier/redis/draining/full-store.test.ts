import { systemClock } from '@webfarer/protocol';
import { afterAll, expect, it } from 'vitest';
import { redisForFile } from '../../../../../../test/redis/for-file.ts';
import { until } from '../../../../../../test/redis/form-cluster.ts';
import { answered, collect, crawlA, offerOf, outcome, settings, worker } from '../../suite/world.fixture.ts';
import { groupTag } from '../../../redis/keys.ts';
import { openRedisFrontier } from '../redis-frontier.ts';
import { openStore } from '../../../redis/store.ts';
import { drainedTo } from './drained.fixture.ts';
import { tightMemory } from './memory.ts';

const servers = redisForFile({ settings: { appendonly: 'no', 'maxmemory-policy': 'noeviction' } });
const drained = drainedTo();
afterAll(() => drained.remove());

it('records what is in flight and drains when a server has no memory left, begins nothing new, and goes on later', async () => {
  const { url, nodes } = await servers();
  const clock = systemClock();
  const why: string[] = [];
  const store = await openStore({ url, replicas: 0, clock });
  const watched: typeof store = {
    ...store,
    run: (calls, options) => store.runTelling((words) => why.push(words), calls, options),
  };
  const { backlog } = drained;
  const frontier = await openRedisFrontier({ store: watched, clock, groups: 1, backlog });
  const told: (string | undefined)[] = [];
  frontier.onBacklog((pause) => told.push(pause?.text));
  await frontier.openCrawl({ ...settings, gapMs: 0 });
  await frontier.offer(
    crawlA,
    ['1', '2'].map((name) => offerOf(`http://a.test/${name}`)),
  );
  const ask = () => frontier.lease({ worker, hosts: 1, urlsPerHost: 1 });
  const [lease] = (await ask()).leases;
  await nodes[0]?.ask('CONFIG', 'SET', 'maxmemory', '1mb');

  const { id, crawl, host, fence, entries } = lease!;
  const settled = [outcome(entries[0]!, { offers: [offerOf('http://b.test/')] })];
  const news = { ...answered, gapMs: 0 };
  expect(await frontier.report([{ id, crawl, host, fence, settled, news, close: true }])).toEqual([
    { ok: true, accepted: 1, known: 0 },
  ]);
  expect(await frontier.drain()).toBe(1);
  expect(await nodes[0]?.ask('XLEN', `${groupTag(0)}1r`)).toBe(0);
  expect(told.at(-1)).toMatch(/% of its memory \(maxmemory 1 MB\)/);
  expect((await ask()).leases).toEqual([]);
  const offered = frontier.offer(crawlA, [offerOf('http://c.test/')]);
  await until(() => Promise.resolve(why.some((words) => words.includes('OOM'))), 'a refusal');

  await nodes[0]?.ask('CONFIG', 'SET', 'maxmemory', '0');
  expect(await offered).toEqual(['accepted']);
  await frontier.drain();
  expect(told.at(-1)).toBe(undefined);
  expect((await ask()).leases).toHaveLength(1);
  expect(await collect(frontier.results.records(crawlA))).toHaveLength(1);
  await frontier.close();
});

it('calls memory tight above nine tenths of what a server may use', () => {
  const info = (used: number, most: number) => `used_memory:${used}\r\nmaxmemory:${most}\r\n`;
  expect(tightMemory(info(100, 0))).toBe(undefined);
  expect(tightMemory(info(89_000_000, 100_000_000))).toBe(undefined);
  expect(tightMemory(info(91_000_000, 100_000_000))).toMatch(/^uses 91 % of its memory \(maxmemory 100 MB\)/);
});
