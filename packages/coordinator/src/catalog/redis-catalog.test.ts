import { type CrawlId, systemClock } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import { redisForFile, storesForFile } from '../../../../test/redis/for-file.ts';
import type { RedisServers } from '../../../../test/redis/servers.ts';
import { settings } from '../frontier/suite/world.fixture.ts';
import { openRedisFrontier } from '../frontier/redis/redis-frontier.ts';
import { storeTag } from '../redis/keys.ts';
import type { Catalog } from './catalog.ts';
import { catalogSuite, newEntry } from './catalog.suite.ts';
import { openRedisCatalog } from './redis-catalog.ts';

const single = redisForFile({ settings: { appendonly: 'no' } });
const cluster = redisForFile({ primaries: 3, settings: { appendonly: 'no' } });
const { connect, connectEmpty } = storesForFile();
const clock = systemClock();
const nowMs = 1_800_000_000_000;

async function open(servers: RedisServers, processes: number): Promise<Catalog[]> {
  const opened = await connectEmpty(servers, processes);
  return await Promise.all(opened.map((store) => openRedisCatalog(store, { nowMs })));
}

catalogSuite({ name: 'Redis', many: 10_000, open: async (n) => await open(await single(), n) });
catalogSuite({ name: 'Redis Cluster', many: 2_500, open: async (n) => await open(await cluster(), n) });

describe('the catalog of a store', () => {
  it('does everything once where answers are lost', async () => {
    const servers = await single();
    await open(servers, 1);
    const store = await connect(servers, { loseAnswers: () => true });
    const catalog = await openRedisCatalog(store, { nowMs });
    const { created, entry } = await catalog.create(newEntry('x'));
    expect(created).toBe(true);
    const paused = await catalog.change(entry.id, entry.version, { wanted: 'paused' });
    expect(paused).toMatchObject({ kind: 'changed', entry: { version: entry.version + 1 } });
    const gone = await catalog.change(entry.id, entry.version + 1, { wanted: 'deleted' });
    expect(gone).toMatchObject({ kind: 'changed', entry: { version: entry.version + 2 } });
    await catalog.remove(entry.nonce);
    expect(await catalog.list({ after: '', limit: 9, states: [], tags: [] })).toMatchObject({ entries: [] });
  });

  it('adopts what an earlier version wrote, once', async () => {
    const servers = await single();
    const [before] = await open(servers, 1);
    const store = await connect(servers);
    const frontier = await openRedisFrontier({ store, clock, groups: 4 });
    const nonce = await frontier.openCrawl({ ...settings, id: 'known' as CrawlId });
    await frontier.setState('known' as CrawlId, 'paused');
    const old = { job: { seeds: ['a.test'] }, seeds: ['https://a.test/'], durability: 'available' };
    await store.run([
      { key: storeTag, args: ['HSET', `${storeTag}j`, 'known', JSON.stringify(old)] },
      { key: storeTag, args: ['HSET', `${storeTag}j`, 'begun', JSON.stringify({ ...old, ownCode: true })] },
      { key: storeTag, args: ['HSET', `${storeTag}j`, 'torn', '{"job'] },
    ]);
    await Promise.all([
      openRedisCatalog(store, { nowMs }),
      openRedisCatalog(await connect(servers), { nowMs }),
    ]);
    expect(await before?.find('known')).toMatchObject({
      ...old,
      id: 'known',
      nonce,
      createdAtMs: nowMs,
      tags: [],
      wanted: 'paused',
      ownCode: false,
    });
    expect(await before?.find('begun')).toMatchObject({ wanted: 'running', ownCode: true });
    const [left] = await store.run([{ key: storeTag, args: ['HKEYS', `${storeTag}j`] }]);
    expect(left).toEqual(['torn']);
  });
});
