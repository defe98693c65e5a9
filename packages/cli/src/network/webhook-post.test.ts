import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@webfarer/protocol';
import { afterEach, expect, it } from 'vitest';
import { openWebhookPost, toldOf } from './webhook-post.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

const notPublic = { error: 'the receiver has no address that is globally reachable' };

it('tells nobody what a private name resolves to, nor whether there is one', async () => {
  const way = openWebhookPost(systemClock(), []);
  cleanups.push(() => way.close());
  const { signal } = new AbortController();
  const local = await way.post({ url: 'http://localhost/', headers: [], content: '{}', signal });
  expect(local).toEqual(notPublic);
  expect({ error: toldOf({ reason: 'dns-not-found', detail: 'db.internal: no such name' }) }).toEqual(local);
  expect(toldOf({ reason: 'timeout', detail: 'no answer' })).toBe('timeout: no answer');
});

it('sends to a private address only where that is allowed', async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => bodies.push(chunk.toString()));
    request.on('end', () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const send = async (allowed: string[], to = url) => {
    const way = openWebhookPost(systemClock(), allowed);
    cleanups.push(() => way.close());
    const { signal } = new AbortController();
    return await way.post({ url: to, headers: [['x-a', 'b']], content: '{}', signal });
  };
  expect(await send([])).toEqual(notPublic);
  expect(bodies).toEqual([]);
  expect(await send(['127.0.0.0/8'])).toEqual({ status: 204 });
  expect(bodies).toEqual(['{}']);
  expect(await send([], 'nonsense')).toEqual({ error: 'the address is malformed' });
});
