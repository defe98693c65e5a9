import { openRedisFrontier, openStore } from '@webfarer/coordinator/redis';
import { type CrawlId, systemClock } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { beforeAll, describe, expect, test } from 'vitest';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import type { RedisServers } from '../../../../../test/redis/servers.ts';
import { fakeWorld } from '../../fake-crawl.fixture.ts';
import { frontierCrawl } from '@webfarer/coordinator';
import { runCli } from '../../program.ts';

const cluster = redisForFile({ primaries: 2 });
const alone = redisForFile();
let servers: RedisServers;

beforeAll(async () => {
  servers = await cluster();
});

async function store(...words: string[]) {
  const argv = ['store', ...words, '--store', servers.url];
  const { context, out, err } = fakeWorld('/', {}, argv);
  const exit = await runCli(argv, { ...context, clock: systemClock() });
  return { exit, out: out(), err: err() };
}

interface Shards {
  shards: { address: string; groups: number[] }[];
}

const shards = async () => (JSON.parse((await store('status', '--json')).out) as Shards).shards;

describe('store', () => {
  test('an empty one says how to begin', async () => {
    const { exit, err } = await store('status');
    expect([exit, err]).toEqual([2, expect.stringContaining('webfarer crawl example.org --store')]);
  });

  test('groups move, and mistakes say what to do', async () => {
    const clock = systemClock();
    const opened = await openStore({ url: servers.url, replicas: 0, clock });
    await openRedisFrontier({ store: opened, clock, groups: 8 });
    expect((await store('crawls')).out).toContain('no crawl in this store');
    await opened.close();
    const [from, to] = (await shards()) as [Shards['shards'][0], Shards['shards'][0]];
    const [group = 0] = from.groups;

    expect((await store('move', '--group', 'x', '--to', to.address)).err).toContain('--group needs numbers');
    expect((await store('move', '--to', to.address)).err).toContain('--group or --slots');
    expect((await store('move', '--group', '8', '--to', to.address)).err).toContain('numbered 0 to 7');
    expect((await store('move', '--group', '1', '--to', '127.0.0.1:1')).err).toContain('Choose one of');

    const moved = await store('move', '--group', String(group), '--to', to.address);
    expect([moved.exit, moved.out]).toEqual([0, expect.stringContaining(`1 group moved to ${to.address}`)]);
    expect((await shards()).find(({ address }) => address === to.address)?.groups).toContain(group);
    expect((await store('move', '--resume')).out).toContain('0 moves finished');
    expect((await store('status')).out).toMatch(/shard +replicas +groups +keys +memory/);
  });

  test('status works on one server, and moving says why it cannot', async () => {
    const { url } = await alone();
    const clock = systemClock();
    const opened = await openStore({ url, replicas: 0, clock });
    await openRedisFrontier({ store: opened, clock, groups: 8 });
    await opened.close();
    const ask = async (...words: string[]) => {
      const argv = ['store', ...words, '--store', url];
      const { context, out, err } = fakeWorld('/', {}, argv);
      const exit = await runCli(argv, { ...context, clock: systemClock() });
      return { exit, out: out(), err: err() };
    };
    const { exit, out } = await ask('status');
    expect([exit, out]).toEqual([0, expect.stringMatching(/127\.0\.0\.1:\d+ +0 +8 /)]);
    const moved = await ask('move', '--group', '1', '--to', '127.0.0.1:1');
    expect([moved.exit, moved.err]).toEqual([2, expect.stringContaining('there is no other shard')]);
  });

  test('crawls are listed and erased', async () => {
    const clock = systemClock();
    const opened = await openStore({ url: servers.url, replicas: 0, clock });
    const frontier = await openRedisFrontier({ store: opened, clock, groups: 8 });
    await frontier.openCrawl(
      frontierCrawl('old' as CrawlId, resolveJob({ seeds: ['http://a.test/'] }), false),
    );
    await opened.close();
    expect((await store('crawls')).out).toBe('  old  running\n');
    expect((await store('forget', 'older')).err).toContain('webfarer store crawls');
    expect((await store('forget', 'old')).out).toMatch(/old is erased, \d+ key/);
    expect(JSON.parse((await store('crawls', '--json')).out)).toMatchObject({ crawls: [], halfErased: [] });
  });
});
