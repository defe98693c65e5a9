import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bulk, type FakeServer, fakeServer, list } from '../../../../../test/redis/fake-server.ts';
import { until } from '../../../../../test/redis/form-cluster.ts';
import { type Sentinels, startSentinels } from '../../../../../test/redis/sentinels.ts';
import { type RedisNode, type RedisServers, startRedis } from '../../../../../test/redis/servers.ts';
import { joinStore } from '../../store/join-store.ts';
import { openStore, type RedisStore, type StoreOptions } from '../store.ts';

const clock = systemClock();
const folder = mkdtempSync(join(tmpdir(), 'webfarer-sentinel-'));
const password = 's3cret-of-sentinels';
const authFile = join(folder, 'auth');
let servers: RedisServers;
let sentinels: Sentinels;
const opened: RedisStore[] = [];
const fakes: FakeServer[] = [];

beforeAll(async () => {
  writeFileSync(authFile, `${password}\n`, { mode: 0o600 });
  servers = await startRedis({ primaries: 1, replicasEach: 2, cluster: false });
  const [primary] = servers.nodes as [RedisNode];
  sentinels = await startSentinels({ primary, replicas: 2, password });
});

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  for (const fake of fakes.splice(0)) fake.stop();
});

afterAll(async () => {
  await sentinels.stop();
  await servers.stop();
  rmSync(folder, { recursive: true, force: true });
});

const urlWith = (file = authFile) => `${sentinels.url}?sentinel-auth=${encodeURIComponent(file)}`;

async function open(url: string, options: Partial<StoreOptions> = {}): Promise<RedisStore> {
  const store = await openStore({ url, replicas: 0, clock, ...options });
  opened.push(store);
  return store;
}

const key = '{wf}tried';
const write = (store: RedisStore, value: string, deadlineMs = 30_000) =>
  store.run([{ key, args: ['SET', key, value] }], { deadlineMs });
const readAt = (port: number) => servers.nodes.find((node) => node.port === port)?.ask('GET', key);
const isPrimary = async (node: RedisNode) =>
  (await node.askText('INFO', 'replication').catch(() => '')).includes('role:master');

/** A Sentinel that says what it is told to. */
async function saying(
  primary: { port: number },
  epoch: number,
  replicas: { port: number }[] = [],
): Promise<FakeServer> {
  const nodeWords = ({ port }: { port: number }) => list(['ip', '127.0.0.1', 'port', String(port)].map(bulk));
  const fake = await fakeServer({
    other: ([, question]) => {
      const asked = String(question).toUpperCase();
      if (asked === 'GET-MASTER-ADDR-BY-NAME') return list([bulk('127.0.0.1'), bulk(String(primary.port))]);
      if (asked === 'MASTER') return list(['config-epoch', String(epoch)].map(bulk));
      return asked === 'REPLICAS' ? list(replicas.map(nodeWords)) : list([]);
    },
  });
  fakes.push(fake);
  return fake;
}

describe('a store under Sentinels', () => {
  it('is found, and waits for every replica that they list', async () => {
    const store = await open(urlWith(), { everyReplica: true });
    expect(store.primaryOf(key)).toBe(`127.0.0.1:${servers.nodes[0]?.port}`);
    expect(store.fewestReplicas()).toBe(2);
    await write(store, 'found');
    const replica = servers.nodes[2] as RedisNode;
    await replica.kill('SIGSTOP');
    try {
      await expect(write(store, 'not everywhere', 1_500)).rejects.toThrow('1 of 2 replicas have it');
    } finally {
      await replica.kill('SIGCONT');
    }
    await write(store, 'everywhere');
  });

  it('is joined with strict durability, and says what it is', async () => {
    const joined = await joinStore({ url: urlWith(), durability: 'strict', insecure: false }, clock);
    expect(joined.promise).toContain(
      'one server and 2 replicas; results are acknowledged once they are on 3 disks',
    );
    await joined.frontier.close();
  });

  it('is followed to another primary, and nothing acknowledged is missing there', async () => {
    const store = await open(urlWith(), { everyReplica: true });
    await write(store, 'before');
    const before = await sentinels.primary();
    await sentinels.failover();
    await until(async () => (await sentinels.primary()).port !== before.port, 'another primary', 30_000);
    await write(store, 'after');
    const { port } = await sentinels.primary();
    expect(store.primaryOf(key)).toBe(`127.0.0.1:${port}`);
    expect(await readAt(port)).toBe('after');
    const old = servers.nodes.find((node) => node.port === before.port) as RedisNode;
    await until(async () => !(await isPrimary(old)), 'the old one follows', 30_000);
  });

  it('is refused with the next step where Sentinels do not know the name, want a password or are none', async () => {
    const port = sentinels.all[0]?.port;
    const other = `redis+sentinel://127.0.0.1:${port}/other?sentinel-auth=${encodeURIComponent(authFile)}`;
    await expect(open(other)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('monitors no primary named other'),
      next: expect.stringContaining('SENTINEL MASTERS'),
    });
    await expect(open(sentinels.url)).rejects.toMatchObject({
      code: 'store-denied',
      next: expect.stringContaining('--store-sentinel-auth'),
    });
    await expect(open(`redis+sentinel://127.0.0.1:${servers.nodes[0]?.port}/mymaster`)).rejects.toMatchObject(
      {
        code: 'usage',
        message: expect.stringContaining('is not a Sentinel'),
      },
    );
    await expect(open(urlWith(join(folder, 'none')))).rejects.toThrow(/none: no such file/);
  });
});

describe('a primary that was deposed', () => {
  const nodes = async () => {
    const found = await Promise.all(
      servers.nodes.map(async (node) => ({ node, primary: await isPrimary(node) })),
    );
    const primary = found.find((one) => one.primary)?.node as RedisNode;
    const [replica, other] = found.filter((one) => !one.primary).map(({ node }) => node) as [
      RedisNode,
      RedisNode,
    ];
    return { primary, replica, other };
  };

  it('is not written to because a Sentinel that is behind still names it, whoever answers first', async () => {
    const { primary, replica } = await nodes();
    const alone = await startRedis();
    try {
      // It answers and calls itself a primary, as one does that was cut off.
      const [deposed] = alone.nodes as [RedisNode];
      const [behind, ahead] = await Promise.all([saying(deposed, 3), saying(primary, 4, [replica])]);
      for (const ports of [
        [behind.port, ahead.port],
        [ahead.port, behind.port],
      ]) {
        const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
        const store = await open(`redis+sentinel://${hosts}/mymaster`);
        await write(store, `by ${ports.join()}`);
        expect(await deposed.ask('DBSIZE')).toBe(0);
        expect(await readAt(primary.port)).toBe(`by ${ports.join()}`);
      }
    } finally {
      await alone.stop();
    }
  });

  it('is not written to although it was made a replica that accepts writes', async () => {
    const { replica } = await nodes();
    await replica.ask('CONFIG', 'SET', 'replica-read-only', 'no');
    const before = await replica.ask('GET', key);
    try {
      const behind = await saying(replica, 3);
      const store = await open(`redis+sentinel://127.0.0.1:${behind.port}/mymaster`);
      await expect(write(store, 'lost at the next sync', 1_000)).rejects.toMatchObject({
        code: 'store-silent',
        message: expect.stringContaining('is a replica, not the primary'),
      });
      expect(await replica.ask('GET', key)).toBe(before);
    } finally {
      await replica.ask('CONFIG', 'SET', 'replica-read-only', 'yes');
    }
  });
});
