import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as startTls } from 'node:tls';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeCertificate } from '../browser/certificate.ts';
import {
  type BrowserAnswer,
  type BrowserProxy,
  type BrowserRequest,
  passUrl,
  type ProxyPass,
  startBrowserProxy,
} from './browser-proxy.ts';

const certificate = makeCertificate(Date.now());
let proxy: BrowserProxy;
let pass: ProxyPass;
let asked: BrowserRequest[];
let refused: string[];
let answer: BrowserAnswer | undefined;

beforeEach(async () => {
  asked = [];
  refused = [];
  answer = {
    status: 200,
    statusText: 'Fine',
    headers: [['X-One', '1']],
    body: Buffer.from('hello'),
    cut: false,
  };
  proxy = await startBrowserProxy({
    ...certificate,
    maxRequestBytes: 100,
    listen: { host: '127.0.0.1', port: 0 },
  });
  pass = proxy.admit({
    answer(got) {
      asked.push(got);
      return Promise.resolve(answer);
    },
    refused: (url, what) => void refused.push(`${what} ${url}`),
  });
});
afterEach(() => proxy.close());

/** Sends text on a connection and reads until it ends. */
async function say(socket: Socket, text: string): Promise<string> {
  let got = '';
  socket.on('data', (piece: Buffer) => (got += piece.toString('latin1')));
  socket.on('error', () => undefined);
  socket.write(text);
  await once(socket, 'close');
  return got;
}

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** Begins a request to the proxy, with the pass that it gave out. */
const start = (line: string, by: ProxyPass = pass): string =>
  `${line} HTTP/1.1\r\nHost: a.test\r\nProxy-Authorization: ${basic(by.username, by.password)}\r\n`;

async function tunnel(authority: string): Promise<Socket> {
  const headers = { 'proxy-authorization': basic(pass.username, pass.password) };
  const asking = request({ port: proxy.port, method: 'CONNECT', path: authority, headers }).end();
  const [, socket] = (await once(asking, 'connect')) as [unknown, Socket];
  return socket;
}

it('answers what is asked for without TLS', async () => {
  const socket = connect(proxy.port, '127.0.0.1');
  const got = await say(
    socket,
    `${start('GET http://a.test/x?b=1')}Accept: */*\r\nProxy-Connection: close\r\nConnection: close\r\n\r\n`,
  );
  expect(got).toMatch(/^HTTP\/1\.1 200 Fine\r\nX-One: 1\r\ncontent-length: 5\r\n/);
  expect(got).toMatch(/\r\n\r\nhello$/);
  expect(asked).toMatchObject([{ url: 'http://a.test/x?b=1', method: 'GET', headers: [['Accept', '*/*']] }]);
});

it('ends TLS itself, for any name', async () => {
  const inner = startTls({
    socket: await tunnel('shop.test:443'),
    ca: certificate.cert,
    checkServerIdentity: () => undefined,
  });
  const got = await say(
    inner,
    'POST /cart HTTP/1.1\r\nHost: shop.test\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc',
  );
  expect(got).toMatch(/hello$/);
  expect(asked).toMatchObject([{ url: 'https://shop.test/cart', method: 'POST', body: Buffer.from('abc') }]);
});

it('passes no word on that would lead past it', async () => {
  answer = {
    ...(answer as BrowserAnswer),
    headers: [
      ['Alt-Svc', 'h3=":443"'],
      ['Transfer-Encoding', 'chunked'],
      ['X-Two', '2'],
    ],
  };
  const got = await say(
    connect(proxy.port, '127.0.0.1'),
    `${start('GET http://a.test/')}Connection: close\r\n\r\n`,
  );
  expect(got).toContain('X-Two: 2');
  expect(got).not.toMatch(/alt-svc|chunked/i);
});

it('breaks the connection where there is no answer, and behind one that is cut', async () => {
  answer = undefined;
  const plain = `${start('GET http://a.test/')}\r\n`;
  expect(await say(connect(proxy.port, '127.0.0.1'), plain)).toBe('');
  answer = {
    status: 200,
    statusText: '',
    headers: [['Content-Length', '99']],
    body: Buffer.from('half'),
    cut: true,
  };
  const got = await say(connect(proxy.port, '127.0.0.1'), plain);
  expect(got).toContain('half');
  expect(got).not.toMatch(/content-length/i);
});

it('lets no WebSocket and no other protocol through', async () => {
  const upgrade = (host: string) =>
    `GET /chat HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n`;
  expect(await say(await tunnel('chat.test:80'), upgrade('chat.test'))).toMatch(/^HTTP\/1\.1 403 /);
  await say(await tunnel('mail.test:25'), 'EHLO there\r\n');
  expect(refused).toEqual(['websocket http://chat.test/chat', 'tunnel mail.test:25']);
  expect(asked).toEqual([]);
});

it('takes no larger request than a page may send', async () => {
  const text = `${start('POST http://a.test/')}Content-Length: 101\r\n\r\n${'x'.repeat(101)}`;
  expect(await say(connect(proxy.port, '127.0.0.1'), text)).toBe('');
  expect(asked).toEqual([]);
});

it('tells when the browser no longer waits', async () => {
  let aborted: Promise<unknown> | undefined;
  const held = Promise.withResolvers<undefined>();
  const slow = proxy.admit({
    answer({ signal }) {
      aborted = once(signal, 'abort');
      return held.promise;
    },
    refused: () => undefined,
  });
  const socket = connect(proxy.port, '127.0.0.1');
  socket.write(`${start('GET http://a.test/', slow)}\r\n`);
  await expect.poll(() => aborted !== undefined, { timeout: 30_000 }).toBe(true);
  socket.destroy();
  await aborted;
  held.resolve(undefined);
});

it('takes nothing from a program that does not show a pass', async () => {
  const connection = 'Connection: close\r\n\r\n';
  const upgrade = 'Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n';
  const wrong = [
    '',
    'Proxy-Authorization: Basic\r\n',
    `Proxy-Authorization: ${basic(pass.username, '')}\r\n`,
    `Proxy-Authorization: ${basic(pass.username, 'f'.repeat(pass.password.length))}\r\n`,
    `Authorization: ${basic(pass.username, pass.password)}\r\n`,
  ];
  const lines = ['GET http://a.test/', 'CONNECT a.test:443', 'POST http://a.test/', `GET ${passUrl}`];
  for (const shown of wrong) {
    const head = `HTTP/1.1\r\nHost: a.test\r\n${shown}`;
    for (const line of lines)
      expect(await say(connect(proxy.port, '127.0.0.1'), `${line} ${head}${connection}`)).toMatch(
        /^HTTP\/1\.1 407 .*\r\nproxy-authenticate: Basic realm="Webfarer"\r\n/i,
      );
    const got = await say(connect(proxy.port, '127.0.0.1'), `GET http://a.test/ ${head}${upgrade}`);
    expect(got).toMatch(/^HTTP\/1\.1 407 /);
  }
  expect(asked).toEqual([]);
  expect(refused).toEqual([]);
  expect(pass.isUsed()).toBe(false);
});

it('tells guests apart by their passes, and forgets one whose pass is revoked', async () => {
  const others: string[] = [];
  const other = proxy.admit({
    answer({ url }) {
      others.push(url);
      return Promise.resolve(answer);
    },
    refused: () => undefined,
  });
  const close = 'Connection: close\r\n\r\n';
  const ask = (line: string, by: ProxyPass) =>
    say(connect(proxy.port, '127.0.0.1'), `${start(line, by)}${close}`);
  expect(await ask(`GET ${passUrl}`, other)).toMatch(/^HTTP\/1\.1 204 /);
  expect([pass.isUsed(), other.isUsed()]).toEqual([false, true]);
  await ask('GET http://a.test/1', other);
  await ask('GET http://a.test/2', pass);
  expect(others).toEqual(['http://a.test/1']);
  expect(asked.map(({ url }) => url)).toEqual(['http://a.test/2']);
  // A connection that stays open ends with the pass.
  const kept = connect(proxy.port, '127.0.0.1');
  kept.write(`${start('GET http://a.test/3', other)}\r\n`);
  await once(kept, 'data');
  other.revoke();
  await once(kept, 'close');
  expect(await ask('GET http://a.test/4', other)).toMatch(/^HTTP\/1\.1 407 /);
  expect(await ask('GET http://a.test/5', pass)).toMatch(/hello$/);
  expect(others).toEqual(['http://a.test/1', 'http://a.test/3']);
});
