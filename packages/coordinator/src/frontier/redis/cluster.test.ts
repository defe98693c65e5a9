import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import { until } from '../../../../../test/redis/form-cluster.ts';
import type { RedisNode, RedisServers } from '../../../../../test/redis/servers.ts';
import { explainSettings } from '../../redis/settings.ts';
import { slotOf } from '../../redis/topology/slots.ts';
import { openStore, type RedisStore } from '../../redis/store.ts';

const cluster = redisForFile({ primaries: 3, replicasEach: 1, nodeTimeoutMs: 1_000 });
let servers: RedisServers;
const opened: RedisStore[] = [];

beforeAll(async () => {
  servers = await cluster();
});

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

async function openOne(): Promise<RedisStore> {
  const store = await openStore({ url: servers.url, replicas: 1, clock: systemClock() });
  opened.push(store);
  return store;
}

function nodeAt(address: string): RedisNode {
  return servers.nodes.find(({ port }) => address.endsWith(`:${port}`)) as RedisNode;
}

function replicaOf(primary: RedisNode): RedisNode {
  return servers.nodes.find((node) => node !== primary && node.shard === primary.shard) as RedisNode;
}

const set = (key: string, value: string | number) => ({ key, args: ['SET', key, value] });
const get = (key: string) => ({ key, args: ['GET', key] });

describe('a cluster', () => {
  it('gets each call where its key lives, and answers in the order of the calls', async () => {
    const store = await openOne();
    const keys = Array.from({ length: 300 }, (_, n) => `{g${n}}:k`);
    await store.run(keys.map((key) => set(key, `of ${key}`)));
    expect(await store.run(keys.map(get))).toEqual(keys.map((key) => `of ${key}`));
    expect(new Set(keys.map((key) => store.primaryOf(key))).size).toBe(3);
  });

  it('explains what its settings promise', async () => {
    const store = await openOne();
    const nodes = await store.nodes();
    expect(nodes.map(({ role }) => role).toSorted()).toEqual([
      'primary',
      'primary',
      'primary',
      'replica',
      'replica',
      'replica',
    ]);
    expect(nodes.reduce((sum, { slots }) => sum + slots, 0)).toBe(16_384);
    const findings = explainSettings(nodes, 1);
    expect(findings.map(({ level }) => level)).toEqual(['weak', 'good']);
    expect(findings[0]?.mend).toBe('CONFIG SET min-replicas-to-write 1');
  });

  it('is followed when a slot has moved, but not into a move that is under way', async () => {
    const store = await openOne();
    const key = '{moves}:k';
    await store.run([set(key, 'before')]);
    const from = nodeAt(store.primaryOf(key));
    const to = servers.nodes.find(({ role, port }) => role === 'primary' && port !== from.port) as RedisNode;
    const [fromId, toId] = [await from.askText('CLUSTER', 'MYID'), await to.askText('CLUSTER', 'MYID')];
    const slot = slotOf(key);
    await to.ask('CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId);
    await from.ask('CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId);
    await from.ask('MIGRATE', to.host, to.port, key, 0, 5_000);
    // Replicas know of it too on Valkey 8.
    const moving = (await store.nodes()).filter(({ movingSlots }) => movingSlots.length === 1);
    expect(moving.filter(({ role }) => role === 'primary')).toHaveLength(2);
    await expect(store.run([set(key, 'meanwhile')], { deadlineMs: 200 })).rejects.toThrow('ASK');
    const waiting = store.run([get(key), set(key, 'after')]);
    await to.ask('CLUSTER', 'SETSLOT', slot, 'NODE', toId);
    await from.ask('CLUSTER', 'SETSLOT', slot, 'NODE', toId);
    expect(await waiting).toEqual(['before', 'OK']);
    expect(nodeAt(store.primaryOf(key)).port).toBe(to.port);
  });

  it('does not acknowledge while the only replica stands still', async () => {
    const store = await openOne();
    const key = '{still}:k';
    const primary = nodeAt(store.primaryOf(key));
    const replica = replicaOf(primary);
    const others = ['{a}', '{b}', '{c}', '{d}'].filter((other) => nodeAt(store.primaryOf(other)) !== primary);
    await store.run([set(key, 0), ...others.map((other) => set(other, 1))]);
    await replica.kill('SIGSTOP');
    try {
      await expect(store.run([set(key, 1)], { deadlineMs: 700 })).rejects.toThrow('0 of 1 replicas have it');
      // A call that changes nothing is not acknowledged either: it may have read what is lost later.
      await expect(store.run([get(key)], { deadlineMs: 100 })).rejects.toMatchObject({
        code: 'store-silent',
      });
      expect(await store.run([get(key)], { durable: false })).toEqual(['1']);
      expect(await store.run(others.map((other) => set(other, 2)))).toEqual(others.map(() => 'OK'));
      const waiting = store.run([set(key, 2)]);
      await until(async () => (await primary.ask('GET', key)) === '2', 'the primary has it');
      await replica.kill('SIGCONT');
      expect(await waiting).toEqual(['OK']);
    } finally {
      await replica.kill('SIGCONT');
    }
  });

  it('loses nothing acknowledged when a primary is killed', async () => {
    const store = await openOne();
    const key = '{killed}:set';
    const primary = nodeAt(store.primaryOf(key));
    const replica = replicaOf(primary);
    const acknowledged: string[] = [];
    let over = false;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; !over; n++) {
        await store.run([{ key, args: ['SADD', key, `${writer}:${n}`] }]);
        acknowledged.push(`${writer}:${n}`);
      }
    });
    const reach = (count: number) => until(() => Promise.resolve(acknowledged.length > count), 'writes');
    await reach(200);
    await primary.kill('SIGKILL');
    await until(
      async () => (await replica.askText('INFO', 'replication')).includes('role:master'),
      'a failover',
    );
    // The new primary has no replica yet, so it acknowledges nothing until the old one is back as its replica.
    const before = acknowledged.length;
    await primary.restart();
    await reach(before + 200);
    over = true;
    await Promise.all(writers);
    expect(nodeAt(store.primaryOf(key)).port).not.toBe(primary.port);
    const [members] = await store.run([{ key, args: ['SMEMBERS', key] }]);
    const kept = new Set(members as string[]);
    expect(acknowledged.filter((each) => !kept.has(each))).toEqual([]);
  });
});
