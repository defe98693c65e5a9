import { systemClock } from '@webfarer/protocol';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { redisForFile } from '../../../../test/redis/for-file.ts';
import type { RedisServers } from '../../../../test/redis/servers.ts';
import { storeTag } from '../redis/keys.ts';
import { openStore, type RedisStore } from '../redis/store.ts';
import type { Membership } from './membership.ts';
import { member, membershipSuite } from './membership.suite.ts';
import { redisMembership } from './redis-membership.ts';

const single = redisForFile({ settings: { appendonly: 'no' }, shiftableClocks: true });
const cluster = redisForFile({ primaries: 3, settings: { appendonly: 'no' } });
const stores: RedisStore[] = [];

afterAll(async () => {
  for (const store of stores.splice(0)) await store.close();
});

async function open(servers: RedisServers, processes: number, ttlMs: number): Promise<Membership[]> {
  const clock = systemClock();
  const opened = await Promise.all(
    Array.from({ length: processes }, () => openStore({ url: servers.url, replicas: 0, clock })),
  );
  stores.push(...opened);
  await opened[0]?.run([{ key: storeTag, args: ['FLUSHALL'] }]);
  return opened.map((store) => redisMembership(store, { ttlMs }));
}

membershipSuite({ name: 'Redis', open: async (n, ttlMs) => await open(await single(), n, ttlMs) });
membershipSuite({ name: 'Redis Cluster', open: async (n, ttlMs) => await open(await cluster(), n, ttlMs) });

describe('members on a store in trouble', () => {
  it('are all taken back after the store has lost them', async () => {
    const servers = await single();
    const [a, b] = (await open(servers, 2, 60_000)) as [Membership, Membership];
    await a.register(member('a'));
    await b.register(member('b'));
    await servers.nodes[0]?.ask('FLUSHALL');
    expect(await a.renew(member('a'))).toEqual({ kind: 'gone' });
    await a.register(member('a'));
    expect(await b.renew(member('b'))).toEqual({ kind: 'gone' });
    expect(await b.register(member('b'))).toEqual([member('a'), member('b')]);
    expect(await a.list()).toEqual([member('a'), member('b')]);
  });

  it('run out when the clock of the store jumps ahead, and come back', async () => {
    const servers = await single();
    const [a, b] = (await open(servers, 2, 60_000)) as [Membership, Membership];
    await a.register(member('a'));
    await b.register(member('b'));
    servers.nodes[0]?.shiftClock(3_600);
    await vi.waitFor(async () => expect(await a.renew(member('a'))).toEqual({ kind: 'gone' }), 5_000);
    await a.register(member('a'));
    expect(await b.register(member('b'))).toEqual([member('a'), member('b')]);
  });
});
