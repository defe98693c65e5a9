import { existsSync, rmSync } from 'node:fs';
import { systemClock } from '@webfarer/protocol';
import { afterEach, expect, it } from 'vitest';
import { type RedisNode, type RedisServers, startRedis } from '../../../../../test/redis/servers.ts';
import { snapshotStore } from './snapshot-store.ts';

let servers: RedisServers | undefined;
afterEach(async () => {
  await servers?.stop();
  servers = undefined;
});

const steps = ['CLIENT PAUSE', 'BGSAVE', 'CLIENT UNPAUSE'];

/** What a server was told of a copy, in its order. */
async function told(node: RedisNode): Promise<string[]> {
  const entries = (await node.ask('SLOWLOG', 'GET', '-1')) as [
    id: number,
    at: number,
    us: number,
    string[],
  ][];
  return entries
    .toSorted(([a], [b]) => a - b)
    .map(([, , , words]) => words.join(' ').toUpperCase())
    .flatMap((words) => steps.filter((step) => words.startsWith(step)));
}

const snapshot = ({ url }: RedisServers) =>
  snapshotStore({ url, insecure: true, clock: systemClock(), onSaved: () => undefined });

it('each shard forks while it accepts no writes, and accepts them again after that', async () => {
  // The log of slow commands has every command.
  servers = await startRedis({
    primaries: 3,
    settings: { 'slowlog-log-slower-than': '0', 'slowlog-max-len': '100000' },
  });
  const { shards } = await snapshot(servers);
  expect(shards).toHaveLength(3);
  for (const node of servers.nodes) expect(await told(node)).toEqual(steps);
  for (const { file } of shards) expect(existsSync(file ?? '')).toBe(true);
});

it('a copy that could not be written is an error, and writes are accepted again', async () => {
  servers = await startRedis({});
  const [node] = servers.nodes as [RedisNode];
  rmSync(node.folder, { recursive: true });
  await expect(snapshot(servers)).rejects.toMatchObject({ code: 'storage' });
  expect(await node.askText('SET', 'key', 'other')).toBe('OK');
});
