import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@webfarer/protocol';
import { afterEach, expect, it } from 'vitest';
import { openIssuerWay } from './issuer-way.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function wayTo(issuer: string) {
  const way = openIssuerWay(systemClock(), issuer);
  cleanups.push(() => way.close());
  return way;
}

it('asks the issuer, and private addresses of nobody else', async () => {
  const asked: string[] = [];
  const answerTo: RequestListener = (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''} ${body}`);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
    });
  };
  const [issuer, other] = [await serve(answerTo), await serve(answerTo)];
  const way = wayTo(`${issuer}/realms/a`);
  const get = await way.ask({ method: 'GET', url: `${issuer}/keys?x=1`, headers: [], content: '' });
  expect(get).toMatchObject({ status: 200 });
  expect(Buffer.from((get as { body: Uint8Array }).body).toString()).toBe('{"ok":true}');
  const post = {
    method: 'POST',
    url: `${issuer}/token`,
    headers: [['authorization', 'Basic x']],
    content: 'a=b',
  } as const;
  expect(await way.ask({ ...post, headers: [...post.headers] as [string, string][] })).toMatchObject({
    status: 200,
  });
  expect(asked).toEqual(['GET /keys?x=1  ', 'POST /token Basic x a=b']);
  const elsewhere = await way.ask({ method: 'GET', url: `${other}/keys`, headers: [], content: '' });
  expect(elsewhere).toMatchObject({ error: expect.stringContaining('private-address') });
  expect(asked).toHaveLength(2);
});

it('reads no more than a megabyte', async () => {
  const issuer = await serve((_request, response) => void response.end('x'.repeat(2_000_000)));
  for (const method of ['GET', 'POST'] as const)
    expect(await wayTo(issuer).ask({ method, url: `${issuer}/`, headers: [], content: '' })).toEqual({
      error: expect.stringContaining('cut off'),
    });
  expect(await wayTo(issuer).ask({ method: 'GET', url: 'nonsense', headers: [], content: '' })).toEqual({
    error: 'the address is malformed',
  });
});
