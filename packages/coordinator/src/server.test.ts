import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@webfarer/protocol/api';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openServer, type Server } from './server.ts';

let folder: string;
let server: Server;

async function open(port = 0): Promise<Server> {
  return await openServer({
    folder,
    version: '1.2.3',
    listen: { host: '127.0.0.1', port },
    advertise: undefined,
    expectsWorker: false,
  });
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-server-'));
  server = await open();
});
afterEach(async () => {
  await server.stop({ now: true });
  rmSync(folder, { recursive: true, force: true });
});

const token = (name: string) => readFileSync(join(folder, `${name}.token`), 'utf8').trim();
const operator = () => createClient({ url: server.url, token: token('operator'), fetch });
const ready = async () => {
  const response = await fetch(`${server.url}/ready`);
  return [response.status, ((await response.json()) as { cause?: string }).cause];
};

/** The status with which the port answers a request to become a WebSocket. */
async function upgrade(path: string, bearer: string): Promise<number> {
  return await new Promise((resolve, reject) => {
    const asking = httpRequest(`${server.url}${path}`, {
      headers: {
        authorization: `Bearer ${bearer}`,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': Buffer.from('0123456789abcdef').toString('base64'),
      },
    });
    asking.once('upgrade', (_response, socket) => {
      socket.destroy();
      resolve(101);
    });
    asking.once('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asking.once('error', reject);
    asking.end();
  });
}

it('listens before it has a coordinator, says so, and lets nobody in until its crawls are open', async () => {
  expect(await ready()).toEqual([503, 'starting']);
  const coordinator = await server.host({});
  expect(await server.host({})).toBe(coordinator);
  expect(await upgrade('/link', token('worker'))).toBe(503);
  expect(await ready()).toEqual([503, 'starting']);
  await server.ready();
  expect(await ready()).toEqual([200, undefined]);
  expect(await upgrade('/link', token('worker'))).toBe(101);
  expect(await upgrade('/v1/stream', token('operator'))).toBe(101);
});

it('lets each token do what it is for', async () => {
  await server.host({});
  await server.ready();
  expect(await upgrade('/link', 'x'.repeat(43))).toBe(401);
  expect(await upgrade('/link', token('operator'))).toBe(401);
  const list = async (bearer: string) =>
    (await fetch(`${server.url}/v1/crawls`, { headers: { authorization: `Bearer ${bearer}` } })).status;
  expect([await list(token('operator')), await list('x'.repeat(43))]).toEqual([200, 401]);
  expect(await list(token('worker'))).not.toBe(200);
});

it('is the same coordinator after a restart: its id, its tokens, its crawls', async () => {
  await server.host({});
  await server.ready();
  const { id } = server;
  const before = token('operator');
  await operator().createCrawl({ body: { job: { name: 'shop', seeds: ['https://shop.test/'] } } });
  await server.stop();
  await expect(fetch(`${server.url}/ready`)).rejects.toThrow();
  server = await open();
  const coordinator = await server.host({});
  await coordinator.start();
  await server.ready();
  expect([server.id, token('operator')]).toEqual([id, before]);
  expect((await operator().listCrawls()).items.map(({ name, state }) => [name, state])).toEqual([
    ['shop', 'running'],
  ]);
  const { coordinator: about, crawls } = await server.status();
  expect([about.id, crawls.map(({ name }) => name)]).toEqual([id, ['shop']]);
});
