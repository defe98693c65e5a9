import { type DatedClock, systemClock } from '@webfarer/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../../test/redis/form-cluster.ts';
import { redisForFile } from '../../../../test/redis/for-file.ts';
import type { RedisNode } from '../../../../test/redis/servers.ts';
import { joinStore } from '../store/join-store.ts';
import { lookAround } from './look-around.ts';
import { openStore, type RedisStore } from './store.ts';

const cluster = redisForFile({ primaries: 3, replicasEach: [2, 1, 1] });
const clock = systemClock();
const opened: RedisStore[] = [];

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

async function strictStore(): Promise<RedisStore> {
  const { url } = await cluster();
  const store = await openStore({ url, replicas: 1, everyReplica: true, clock });
  opened.push(store);
  return store;
}

async function inShard(shard: number): Promise<{ primary: RedisNode; replicas: RedisNode[] }> {
  const all = (await cluster()).nodes.filter((node) => node.shard === shard);
  const [primary, ...replicas] = all as [RedisNode, ...RedisNode[]];
  return { primary, replicas };
}

/** A key of this shard. */
async function keyOf(store: RedisStore, shard: number): Promise<string> {
  const { primary } = await inShard(shard);
  const keys = Array.from({ length: 99 }, (_, n) => `{g${n}}test`);
  return keys.find((key) => store.primaryOf(key) === `127.0.0.1:${primary.port}`) as string;
}

const write = (store: RedisStore, key: string, deadlineMs = 60_000) =>
  store.run([{ key, args: ['SET', key, 1] }], { deadlineMs });
const writeInVain = (store: RedisStore, key: string) => write(store, key, 1_500);

const allLinked = (shard: number) => async () => {
  const { primary, replicas } = await inShard(shard);
  const info = await primary.askText('INFO', 'replication');
  return [...info.matchAll(/state=online/g)].length === replicas.length;
};

describe('strict durability on shards with different numbers of replicas', () => {
  it('waits for every replica of the shard, and for no more than it has', async () => {
    const store = await strictStore();
    const { replicas } = await inShard(0);
    for (const shard of [0, 1, 2]) await write(store, await keyOf(store, shard));
    await replicas[1]!.kill('SIGSTOP');
    try {
      await expect(writeInVain(store, await keyOf(store, 0))).rejects.toThrow('1 of 2 replicas have it');
      await write(store, await keyOf(store, 1));
    } finally {
      await replicas[1]!.kill('SIGCONT');
    }
    await write(store, await keyOf(store, 0));
  });

  it('counts one that comes to be electable later', async () => {
    const { replicas } = await inShard(0);
    await replicas[1]!.ask('CONFIG', 'SET', 'cluster-replica-no-failover', 'yes');
    const { nodes } = await cluster();
    const views = () => Promise.all(nodes.map((node) => node.askText('CLUSTER', 'NODES')));
    const knows = async () => (await views()).every((view) => view.includes('nofailover'));
    await until(knows, 'the cluster knows that it may not be elected', 10_000);
    const store = await strictStore();
    await replicas[1]!.kill('SIGSTOP');
    try {
      await write(store, await keyOf(store, 0));
    } finally {
      await replicas[1]!.kill('SIGCONT');
    }
    await replicas[1]!.ask('CONFIG', 'SET', 'cluster-replica-no-failover', 'no');
    const forgot = async () => !(await views()).some((view) => view.includes('nofailover'));
    await until(forgot, 'it may be elected again', 10_000);
    await replicas[1]!.kill('SIGSTOP');
    const message = (error: unknown) => String(error);
    try {
      const key = await keyOf(store, 0);
      const isRefused = async () =>
        /1 of 2 replicas/.test(await writeInVain(store, key).then(() => '', message));
      await until(isRefused, 'it is waited for', 20_000);
    } finally {
      await replicas[1]!.kill('SIGCONT');
    }
  });

  it('is refused while replicas are down at the first use, and not decided by those that are up', async () => {
    const { url } = await cluster();
    const { primary, replicas } = await inShard(1);
    await replicas[0]!.kill('SIGKILL');
    const isGone = async () => /connected_slaves:0/.test(await primary.askText('INFO', 'replication'));
    await until(isGone, 'the replica is gone', 10_000);
    try {
      const choice = { url, durability: 'strict', insecure: false } as const;
      await expect(joinStore(choice, hasty())).rejects.toMatchObject({
        next: expect.stringContaining('Only 0 of 1 replicas are connected'),
      });
      expect((await lookAround(url, clock)).replicas).toBe(1);
    } finally {
      await replicas[0]!.restart();
    }
    await until(allLinked(1), 'the replica is back', 20_000);
  });
});

/** Does not wait for servers that may be only just coming back. */
function hasty(): DatedClock {
  let now = clock.now();
  return {
    now: () => (now += 3_000),
    wall: clock.wall,
    sleep: (ms, signal) => clock.sleep(Math.min(ms, 300), signal),
  };
}
