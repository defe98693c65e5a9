import { cpSync, rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { redisForFile, storesForFile } from '../../../../test/redis/for-file.ts';
import type { RedisServers } from '../../../../test/redis/servers.ts';
import { redisRegistry } from './redis-registry.ts';
import type { Registry } from './registry.ts';
import { auditEntry, keptHere, oldest, registrySuite } from './registry.suite.ts';

const single = redisForFile({ settings: { appendonly: 'no' } });
const durable = redisForFile();
const cluster = redisForFile({ primaries: 3, settings: { appendonly: 'no' } });
const { connect, connectEmpty } = storesForFile();

async function open(servers: RedisServers, processes: number): Promise<Registry[]> {
  return (await connectEmpty(servers, processes)).map((store) => redisRegistry(store, keptHere));
}

async function openFilled(servers: RedisServers, teams: number): Promise<Registry> {
  const [registry] = (await open(servers, 1)) as [Registry];
  for (let from = 0; from < teams; from += 250)
    await Promise.all(Array.from({ length: 250 }, (_, n) => registry.put('team', `t${from + n}`, 0, {})));
  return registry;
}

/** A server that is killed and started with an earlier copy of its files, as from a backup. */
async function openRestorable() {
  const servers = await durable();
  const [registry] = (await open(servers, 1)) as [Registry];
  const server = servers.nodes[0]!;
  const copy = `${server.folder}.copy`;
  return {
    registry: () => registry,
    async save() {
      await server.kill('SIGKILL');
      cpSync(server.folder, copy, { recursive: true });
      await server.restart();
    },
    async restore() {
      await server.kill('SIGKILL');
      rmSync(server.folder, { recursive: true });
      cpSync(copy, server.folder, { recursive: true });
      await server.restart();
    },
  };
}

registrySuite({
  name: 'Redis',
  many: 10_000,
  open: async (n) => await open(await single(), n),
  openFilled: async (teams) => await openFilled(await single(), teams),
  openRestorable,
});
registrySuite({
  name: 'Redis Cluster',
  many: 1_000,
  open: async (n) => await open(await cluster(), n),
  openFilled: async (teams) => await openFilled(await cluster(), teams),
  openRestorable,
});

it('does everything once where answers are lost', async () => {
  const servers = await single();
  const [other] = (await open(servers, 1)) as [Registry];
  const registry = redisRegistry(await connect(servers, { loseAnswers: () => true }));
  const first = await registry.put('policy', 'x', 0, 1);
  expect(first).toEqual({ kind: 'changed', doc: await other.get('policy', 'x') });
  const second = await registry.put('policy', 'x', first.doc?.version ?? 0, 2);
  expect(second).toEqual({ kind: 'changed', doc: await other.get('policy', 'x') });
  expect(await registry.remove('policy', 'x', second.doc?.version ?? 0)).toEqual(second);
  expect(await other.get('policy', 'x')).toBeUndefined();
  await registry.note(auditEntry(1));
  expect((await other.notes(oldest('', 9))).entries).toEqual([auditEntry(1)]);
});
