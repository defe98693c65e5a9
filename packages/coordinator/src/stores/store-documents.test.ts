import { systemClock } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { until } from '../../../../test/redis/form-cluster.ts';
import { redisForFile, storesForFile } from '../../../../test/redis/for-file.ts';
import type { NodeInfo } from '../redis/client/node-info.ts';
import type { FolderUse } from './folder-use.ts';
import { createStoreDocuments } from './store-documents.ts';

const use: FolderUse = {
  path: '/data',
  bytes: 10,
  files: 1,
  isWhole: true,
  byUse: { other: 10 },
  freeBytes: 50,
  totalBytes: 100,
};
const nothing = () => ({ atMs: [], freeBytes: [] });
const servers = redisForFile({ primaries: 3, replicasEach: [1, 0, 0] });
const stores = storesForFile();

type Shown = Record<string, unknown>;

it('shows every node of a cluster, one that is killed and a replica that is stopped, and what to do', {
  timeout: 120_000,
}, async () => {
  const { nodes } = await servers();
  const store = await stores.connect(await servers());
  let nowMs = 0;
  const documents = createStoreDocuments({
    clock: { ...systemClock(), now: () => nowMs },
    nodes: () => store.nodes(),
    folder: () => Promise.resolve(use),
    freeLately: nothing,
  });
  async function look(): Promise<{ nodes: Shown[]; troubles: string[] }> {
    nowMs += 10_000;
    const all = [...(await documents.read()).values()] as Shown[];
    return {
      nodes: all.filter(({ kind }) => kind === 'node'),
      troubles: all
        .filter(({ kind, level }) => kind === 'finding' && level === 'broken')
        .map((one) => `${(one['nodes'] as string[]).join()}: ${String(one['sentence'])}`),
    };
  }
  const at = (n: number) => `${nodes[n]?.host}:${nodes[n]?.port}`;
  const replica = nodes.findIndex(({ role }) => role === 'replica');

  const of = (shown: { nodes: Shown[] }, n: number) => shown.nodes.find(({ address }) => address === at(n));
  let first = await look();
  // The other nodes hear of a replica a moment after it has joined.
  await until(async () => {
    first = await look();
    return of(first, 0)?.['listedReplicas'] === 1;
  }, 'the cluster lists the replica');
  expect(first.nodes).toHaveLength(4);
  expect(of(first, 0)).toMatchObject({
    role: 'primary',
    logsWrites: true,
    lastWriteOk: true,
    linkedReplicas: 1,
  });
  expect(of(first, replica)).toMatchObject({ role: 'replica', of: at(0), linkUp: true });
  expect(of(first, replica)?.['lagBytes']).toBeTypeOf('number');
  expect(first.nodes.reduce((sum, { slots }) => sum + Number(slots), 0)).toBe(16_384);
  expect(first.troubles.filter((one) => !one.includes('migrate'))).toEqual([]);

  const used = Number(of(first, 1)?.['usedMemoryBytes']);
  await nodes[1]?.ask('CONFIG', 'SET', 'maxmemory', String(Math.round(used * 1.15)));
  await nodes[1]?.ask('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
  const full = await look();
  expect(full.troubles).toContainEqual(expect.stringContaining(`${at(1)}: Over 80 %`));
  expect(full.troubles).toContainEqual(expect.stringContaining(`${at(1)}: When memory is full`));
  expect(of(full, 1)).toMatchObject({ policy: 'allkeys-lru' });

  await nodes[replica]?.kill('SIGKILL');
  const lacking = `${at(0)}: Only 0 of 1 replicas`;
  let without = await look();
  // Its primary learns of it a moment later.
  await until(async () => {
    without = await look();
    return without.troubles.some((one) => one.startsWith(lacking));
  }, 'the primary misses its replica');
  expect(of(without, replica)).toMatchObject({ reachable: false, role: 'replica', of: at(0) });
  expect(without.troubles).toContainEqual(expect.stringContaining(`${at(replica)}: No answer.`));

  await nodes[2]?.kill('SIGKILL');
  const less = await look();
  expect(of(less, 2)).toMatchObject({ reachable: false, role: 'primary', seenAtMs: nowMs - 10_000 });
});

const node: NodeInfo = {
  address: 'a:1',
  reachable: true,
  role: 'primary',
  version: '7.0.15',
  usedMemoryBytes: 0,
  maxMemoryBytes: 1_000_000,
  opsPerSecond: 0,
  evictedKeys: 0,
  logsWrites: true,
  lastWriteOk: true,
  linkedReplicas: 0,
  listedReplicas: 0,
  slots: 0,
  movingSlots: [],
  settings: {},
};

it('asks the servers once for all who look, and says when they would be full', async () => {
  let [nowMs, asked] = [0, 0];
  const documents = createStoreDocuments({
    clock: { ...systemClock(), now: () => nowMs },
    nodes: () => {
      asked++;
      return Promise.resolve([{ ...node, usedMemoryBytes: 100_000 + nowMs / 10 }]);
    },
    folder: () => Promise.resolve(use),
    freeLately: nothing,
  });
  await Promise.all(Array.from({ length: 100 }, () => documents.read()));
  expect(asked).toBe(1);
  for (nowMs = 30_000; nowMs <= 1_800_000; nowMs += 30_000) await documents.read();
  nowMs -= 30_000;
  const shown = (await documents.read()).get('node a:1') as { full: { soonestMs: number } };
  // 720,000 bytes are left, and every second takes 100.
  expect(shown.full.soonestMs).toBeCloseTo(7_200_000, -4);
});

it('shows the data folder alone where there is no shared store, with when its disk would be full', async () => {
  const atMs = Array.from({ length: 60 }, (_, n) => n * 30_000);
  const documents = createStoreDocuments({
    clock: systemClock(),
    nodes: undefined,
    folder: () => Promise.resolve(use),
    freeLately: () => ({ atMs, freeBytes: atMs.map((_, n) => 90 - n) }),
  });
  const shown = await documents.read();
  expect([...shown.keys()]).toEqual(['folder']);
  expect(shown.get('folder')).toMatchObject({ ...use, kind: 'folder', full: { soonestMs: 31 * 30_000 } });
});
