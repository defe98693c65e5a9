import { once } from 'node:events';
import { connect } from 'node:net';
import { problemSchema } from '@webfarer/protocol/api';
import { afterEach, expect, it, vi } from 'vitest';
import { appOf } from './app.fixture.ts';
import { type HttpLimits, type HttpServer, openHttpServer } from './http-server.ts';
import { urlOf } from './listen-address.ts';

const operatorToken = 'o'.repeat(43);
let face: HttpServer | undefined;
afterEach(async () => {
  await face?.stop();
  face = undefined;
});

async function open(
  ready = true,
  token: string | undefined = operatorToken,
  limits: Partial<HttpLimits> = {},
): Promise<string> {
  face = await openHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    app: appOf({
      routes: {},
      handlers: () => ({}),
      authenticate: (header) =>
        token !== '' && header('authorization') === `Bearer ${token}`
          ? { id: 'o', scope: 'admin', team: '' }
          : undefined,
      ready: async () => ({
        acknowledges: ready,
        ...(ready ? { ready } : { ready, cause: 'starting', reason: 'starting up' }),
      }),
      status: async () => ({ workers: 3 }),
    }),
    upgrades: {
      '/link': (_request, socket) => void socket.end('HTTP/1.1 418 linked\r\nConnection: close\r\n\r\n'),
    },
    tls: undefined,
    limits,
  });
  return urlOf(face.address);
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

it('tells that it lives, and apart from that whether it can be worked with', async () => {
  const url = await open(false);
  expect((await fetch(`${url}/health`)).status).toBe(200);
  const ready = await fetch(`${url}/ready`);
  expect(ready.status).toBe(503);
  expect(await ready.json()).toEqual({
    ready: false,
    acknowledges: false,
    cause: 'starting',
    reason: 'starting up',
  });
});

it('shows its status to operators only', async () => {
  const url = await open();
  expect((await fetch(`${url}/status`)).status).toBe(401);
  expect((await fetch(`${url}/status`, bearer('w'.repeat(43)))).status).toBe(401);
  expect((await fetch(`${url}/status`, bearer(`${operatorToken}x`))).status).toBe(401);
  const answer = await fetch(`${url}/status`, bearer(operatorToken));
  expect([answer.status, await answer.json()]).toEqual([200, { workers: 3 }]);
});

it('lets nobody in before there is a token', async () => {
  const url = await open(false, '');
  expect((await fetch(`${url}/status`, bearer(''))).status).toBe(401);
  expect((await fetch(`${url}/status`, bearer(operatorToken))).status).toBe(401);
});

it('answers nothing but GET, and no other paths', async () => {
  const url = await open();
  expect((await fetch(`${url}/health`, { method: 'POST' })).status).toBe(405);
  expect((await fetch(`${url}/`)).status).toBe(404);
  expect((await fetch(`${url}/ready`)).status).toBe(200);
});

it('survives whoever asks for a link and is gone before the answer', async () => {
  const unheard: unknown[] = [];
  const listener = (error: unknown) => unheard.push(error);
  const before = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', listener);
  try {
    for (const path of ['/link', '/elsewhere']) {
      const url = await open();
      let answered = 0;
      const slow = face as HttpServer;
      const socket = connect(slow.address.port, '127.0.0.1');
      await once(socket, 'connect');
      socket.on('data', () => answered++).on('error', () => undefined);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
      await once(socket, 'data');
      socket.resetAndDestroy();
      expect((await fetch(`${url}/health`)).status).toBe(200);
      expect(answered).toBe(1);
      await slow.stop();
    }
  } finally {
    process.off('uncaughtException', listener);
    for (const one of before) process.on('uncaughtException', one);
  }
  expect(unheard).toEqual([]);
});

it('says what to do when the port is taken', async () => {
  const url = await open();
  const port = Number(/\d+$/.exec(url)?.[0]);
  await expect(
    openHttpServer({
      listen: { host: '127.0.0.1', port },
      app: () => Promise.resolve(new Response()),
      upgrades: {},
      tls: undefined,
    }),
  ).rejects.toMatchObject({ code: 'usage', next: expect.stringContaining('--listen') });
});

it('refuses a WebSocket that a page of another site opens', async () => {
  const { port } = (await open(), face as HttpServer).address;
  const answers: string[] = [];
  for (const origin of [`http://127.0.0.1:${port}`, 'http://elsewhere.example']) {
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `GET /link HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: ${origin}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    );
    const [data] = (await once(socket, 'data')) as [Buffer];
    answers.push(data.toString().split('\r\n')[0] ?? '');
    socket.destroy();
  }
  expect(answers).toEqual(['HTTP/1.1 418 linked', 'HTTP/1.1 403 Forbidden']);
});

/** What comes back on a connection until the other side closes it. */
async function exchange(text: string): Promise<string> {
  const { port } = (face as HttpServer).address;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
  let heard = '';
  socket.on('data', (data: Buffer) => (heard += data.toString()));
  socket.write(text);
  await once(socket, 'end');
  socket.destroy();
  return heard;
}

it('begins the answer to a request that was sent ahead when the one before it is taken', async () => {
  const begun: (() => void)[] = [];
  face = await openHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    app: () => new Promise((resolve) => void begun.push(() => resolve(new Response('taken')))),
    upgrades: {},
    tls: undefined,
  });
  const answers = exchange(
    'GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  );
  await vi.waitFor(() => expect(begun).toHaveLength(1));
  await fetch(urlOf(face.address), { signal: AbortSignal.timeout(50) }).catch(() => undefined);
  // Another connection does not wait.
  expect(begun).toHaveLength(2);
  begun[0]?.();
  await vi.waitFor(() => expect(begun).toHaveLength(3));
  begun[2]?.();
  expect((await answers).match(/taken/g)).toHaveLength(2);
});

it('answers what is no request as a problem, and closes the connection', async () => {
  await open();
  const long = 'x'.repeat(20_000);
  for (const [text, status, code] of [
    ['NONSENSE\r\n\r\n', 400, 'usage'],
    [`GET /?${long} HTTP/1.1\r\nHost: x\r\n\r\n`, 431, 'head-too-large'],
    [`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${long}\r\n\r\n`, 431, 'head-too-large'],
    [
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'usage',
    ],
    ['GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400, 'usage'],
  ] as const) {
    const answer = await exchange(text);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head, text.slice(0, 40)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toContain('application/problem+json');
    expect(problemSchema.parse(JSON.parse(body))).toMatchObject({ status, code });
  }
});

it('ends a request that does not arrive, and a connection on which nothing moves', async () => {
  await open(true, operatorToken, {
    headersTimeout: 50,
    requestTimeout: 100,
    connectionsCheckingInterval: 20,
    stalledMs: 10_000,
  });
  expect(await exchange('GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ')).toMatch(
    /^HTTP\/1.1 408 .*"too-slow"/s,
  );
  await face?.stop();
  await open(true, operatorToken, { stalledMs: 50 });
  expect(await exchange('')).toBe('');
});

it('answers a request that arrived while its own process was held up', async () => {
  await open(true, operatorToken, {
    headersTimeout: 50,
    requestTimeout: 100,
    connectionsCheckingInterval: 20,
  });
  const { port } = (face as HttpServer).address;
  const socket = connect({ port, host: '127.0.0.1' });
  let heard = '';
  socket.on('data', (data: Buffer) => (heard += data.toString()));
  await once(socket, 'connect');
  socket.write('GET /health HTTP/1.1\r\nHost: x\r\n');
  await new Promise((resolve) => setTimeout(resolve, 20));
  // After this phase of the loop Node looks at its clock first, and then at its sockets.
  await new Promise((resolve) => setImmediate(resolve));
  socket.write('Connection: close\r\n\r\n');
  const until = performance.now() + 300;
  while (performance.now() < until);
  await once(socket, 'close');
  expect(heard).toMatch(/^HTTP\/1.1 200 /);
});

it('closes the connection of a WebSocket that it turns away, whatever the client does', async () => {
  await open();
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
  expect(await exchange(`GET /elsewhere HTTP/1.1\r\nHost: x\r\n${upgrade}`)).toMatch(/^HTTP\/1.1 404 /);
});
