import { join } from 'node:path';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { systemClock } from '@webfarer/protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePorts } from '../../../../test/redis/server-process.ts';
import { type RedisServers, startRedis } from '../../../../test/redis/servers.ts';
import { storeTag } from './keys.ts';
import { openStore } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'webfarer-addresses-'));
const socket = join(folder, 'store.sock');
let one: RedisServers;
let other: RedisServers;
let followed: RedisServers;

beforeAll(async () => {
  [one, other, followed] = await Promise.all([
    startRedis({ settings: { unixsocket: socket } }),
    startRedis(),
    startRedis({ primaries: 1, replicasEach: 1, cluster: false }),
  ]);
});
afterAll(async () => {
  await Promise.all([one, other, followed].map((servers) => servers.stop()));
  rmSync(folder, { recursive: true, force: true });
});

const at = (servers: RedisServers, n = 0) => `127.0.0.1:${servers.nodes[n]?.port}`;

/** Writes through the address; answers what the server has then. */
async function use(url: string, servers: RedisServers): Promise<unknown> {
  const store = await openStore({ url, replicas: 0, clock: systemClock() });
  try {
    await store.run([{ key: storeTag, args: ['SET', `${storeTag}tried`, 'yes'] }]);
    return await servers.nodes[0]?.ask('GETDEL', `${storeTag}tried`);
  } finally {
    await store.close();
  }
}

it('uses a server by its socket or by the name Valkey', async () => {
  expect(await use(`unix://${socket}`, one)).toBe('yes');
  expect(await use(`valkey://${at(one)}`, one)).toBe('yes');
});

it('uses the server that is there, whichever comes first, and the one that can be written to', async () => {
  const [dead] = await freePorts('127.0.0.1', 1);
  await use(`redis://127.0.0.1:${dead},${at(one)}`, one);
  await use(`redis://${at(followed, 1)},${at(followed, 0)}`, followed);
});

it('refuses servers that are not one store, and replicas alone', async () => {
  await expect(use(`redis://${at(one)},${at(other)}`, one)).rejects.toThrow(/are separate servers/);
  const [dead] = await freePorts('127.0.0.1', 1);
  await expect(use(`redis://${at(followed, 1)},127.0.0.1:${dead}`, followed)).rejects.toThrow(
    /no primary is among them/,
  );
});
