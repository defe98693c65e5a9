import { linkCloses } from '@webfarer/protocol/link';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { redisForFile } from '../../../../test/redis/for-file.ts';
import { type ApiServer, openApiServer } from '../api-server.fixture.ts';

const redis = redisForFile();
/** Two coordinators of one store. */
let a: ApiServer;
let b: ApiServer;

beforeAll(async () => {
  const host = { store: { url: (await redis()).url, durability: 'strict', insecure: false } } as const;
  a = await openApiServer({ host });
  b = await openApiServer({ host });
});
afterAll(async () => {
  await a.stop();
  await b.stop();
});

const statusAt = (server: ApiServer, token: string) => async () =>
  (await server.ask('GET', '/v1/whoami', undefined, token)).status;
const soon = { timeout: 30_000, interval: 100 };

async function revoke(id: string): Promise<void> {
  expect((await a.ask('POST', `/v1/tokens/${id}/revoke`)).status).toBe(200);
}

async function connect(server: ApiServer, secret: string) {
  const socket = new WebSocket(`${server.server.url.replace('http', 'ws')}/link`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  const closes: number[] = [];
  socket.on('close', (code: number) => closes.push(code));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return { socket, closes };
}

it('a token that one coordinator revokes is refused by the others of its store', {
  timeout: 60_000,
}, async () => {
  const { id, token } = await a.newToken('viewer');
  expect(await statusAt(a, token)()).toBe(200);
  await expect.poll(statusAt(b, token), soon).toBe(200);
  await revoke(id);
  expect(await statusAt(a, token)()).toBe(401);
  await expect.poll(statusAt(b, token), soon).toBe(401);
});

it('the open link of a worker is closed when its token is revoked elsewhere', {
  timeout: 60_000,
}, async () => {
  const { id, token } = await a.newToken('worker');
  const other = await a.newToken('worker');
  await expect.poll(statusAt(b, token), soon).toBe(403);
  await expect.poll(statusAt(b, other.token), soon).toBe(403);
  const revoked = await connect(b, token);
  await revoke(id);
  await expect.poll(() => revoked.closes, soon).toEqual([linkCloses.revoked]);
  await expect(connect(b, token)).rejects.toThrow('401');
  const { socket, closes } = await connect(b, other.token);
  expect(closes).toEqual([]);
  socket.terminate();
});

it('a worker keeps its link while its token is rotated, until the overlap ends', {
  timeout: 60_000,
}, async () => {
  const { id, token } = await a.newToken('worker');
  const other = await a.newToken('worker');
  for (const secret of [token, other.token]) await expect.poll(statusAt(b, secret), soon).toBe(403);
  const [old, untouched] = [await connect(b, token), await connect(b, other.token)];
  const { body } = await a.ask('POST', `/v1/tokens/${id}/rotate`, { overlapMs: 6_000 });
  const next = (body as { token: string }).token;
  await expect.poll(statusAt(b, next), soon).toBe(403);
  const renewed = await connect(b, next);
  expect([old.closes, renewed.closes]).toEqual([[], []]);
  await expect.poll(() => old.closes, soon).toEqual([linkCloses.revoked]);
  await expect(connect(b, token)).rejects.toThrow('401');
  expect([renewed.closes, untouched.closes]).toEqual([[], []]);
  for (const { socket } of [renewed, untouched]) socket.terminate();
});
