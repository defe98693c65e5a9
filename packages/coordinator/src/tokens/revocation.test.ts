import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linkCloses } from '@webfarer/protocol/link';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { redisForFile } from '../../../../test/redis/for-file.ts';
import { openServer, type Server } from '../server.ts';

const redis = redisForFile();
const under = mkdtempSync(join(tmpdir(), 'webfarer-revocation-'));
/** Two coordinators of one store. */
const servers: Server[] = [];
let admin: string;

beforeAll(async () => {
  const { url } = await redis();
  for (const name of ['a', 'b']) {
    const server = await openServer({
      folder: join(under, name),
      version: '0',
      listen: { host: '127.0.0.1', port: 0 },
      advertise: undefined,
      expectsWorker: false,
    });
    servers.push(server);
    await server.host({ store: { url, durability: 'strict', insecure: false } });
    await server.ready();
  }
  admin = readFileSync(join(under, 'a', 'operator.token'), 'utf8').trim();
}, 60_000);
afterAll(async () => {
  for (const server of servers) await server.stop();
  rmSync(under, { recursive: true, force: true });
});

async function ask(server: number, path: string, token: string, body?: unknown) {
  const answer = await fetch(servers[server]!.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
}

const newToken = async (scope: string) =>
  (await ask(0, '/v1/tokens', admin, { scope })).body as { id: string; token: string };
const statusAt = (server: number, token: string) => async () =>
  (await ask(server, '/v1/whoami', token)).status;
const soon = { timeout: 20_000, interval: 100 };

async function revoke(id: string): Promise<void> {
  const answer = await fetch(`${servers[0]!.url}/v1/tokens/${id}/revoke`, {
    method: 'POST',
    headers: { authorization: `Bearer ${admin}` },
  });
  expect(answer.status).toBe(200);
}

it('a token that one coordinator revokes is refused by the others of its store', {
  timeout: 60_000,
}, async () => {
  const { id, token } = await newToken('viewer');
  expect(await statusAt(0, token)()).toBe(200);
  await expect.poll(statusAt(1, token), soon).toBe(200);
  await revoke(id);
  expect(await statusAt(0, token)()).toBe(401);
  await expect.poll(statusAt(1, token), soon).toBe(401);
});

it('the open link of a worker is closed when its token is revoked elsewhere', {
  timeout: 60_000,
}, async () => {
  const { id, token } = await newToken('worker');
  const other = await newToken('worker');
  await expect.poll(statusAt(1, token), soon).toBe(403);
  await expect.poll(statusAt(1, other.token), soon).toBe(403);
  const connect = async (secret: string) => {
    const socket = new WebSocket(`${servers[1]!.url.replace('http', 'ws')}/link`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    const closes: number[] = [];
    socket.on('close', (code: number) => closes.push(code));
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return { socket, closes };
  };
  const revoked = await connect(token);
  await revoke(id);
  await expect.poll(() => revoked.closes, soon).toEqual([linkCloses.revoked]);
  await expect(connect(token)).rejects.toThrow('401');
  const { socket, closes } = await connect(other.token);
  expect(closes).toEqual([]);
  socket.terminate();
});
