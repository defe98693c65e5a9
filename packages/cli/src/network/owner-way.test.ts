import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@webfarer/protocol';
import { afterEach, expect, it } from 'vitest';
import { openOwnerWay } from './owner-way.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

it('reads from a private address only where that is allowed, and follows no redirect', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers['user-agent']}`);
    if (request.url === '/moved') return void response.writeHead(302, { location: '/' }).end();
    response.writeHead(200).end('the token');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const way = openOwnerWay(systemClock());
  cleanups.push(() => way.close());
  const { signal } = new AbortController();
  const read = (path: string, allowPrivate: string[]) =>
    way.read({ url: url + path, userAgent: 'webfarer/1', allowPrivate, signal });
  expect(await read('/', [])).toBeUndefined();
  expect(asked).toEqual([]);
  expect(await read('/', ['127.0.0.0/8'])).toEqual({ status: 200, text: 'the token' });
  expect(await read('/moved', ['127.0.0.0/8'])).toMatchObject({ status: 302 });
  expect(asked).toEqual(['GET / webfarer/1', 'GET /moved webfarer/1']);
});
