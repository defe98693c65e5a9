import { clientOf, type ClientOptions, pageOf, paging, route } from '@webfarer/protocol/api';
import { WebfarerError } from '@webfarer/protocol';
import { afterEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { appOf } from './http/app.fixture.ts';
import type { HandlersOf } from './call/call.ts';
import { type HttpServer, openHttpServer } from './http/http-server.ts';
import { urlOf } from './http/listen-address.ts';

/** The typed client against the real server, over a socket. */
const table = {
  listThings: route({
    method: 'GET',
    path: '/v1/things',
    scope: 'viewer',
    family: 'things',
    summary: 'List things',
    query: z.strictObject({
      tag: z.array(z.string()).default([]),
      deep: z.boolean().default(false),
      ...paging,
    }),
    answer: { kind: 'json', status: 200, schema: pageOf(z.object({ name: z.string(), query: z.unknown() })) },
  }),
  putThing: route({
    method: 'PUT',
    path: '/v1/things/{thing}',
    scope: 'operator',
    family: 'things',
    summary: 'Keep a thing',
    params: z.strictObject({ thing: z.string() }),
    body: z.strictObject({ text: z.string() }),
    idempotent: true,
    answer: { kind: 'json', status: 201, schema: z.object({ thing: z.string(), key: z.string() }) },
  }),
  dropThings: route({
    method: 'DELETE',
    path: '/v1/things',
    scope: 'viewer',
    family: 'things',
    summary: 'Drop things',
    answer: { kind: 'none' },
  }),
  followThings: route({
    method: 'GET',
    path: '/v1/follow',
    scope: 'public',
    family: 'things',
    summary: 'Follow things',
    query: z.strictObject({ end: z.enum(['well', 'badly', 'never']) }),
    answer: { kind: 'ndjson', item: z.object({ n: z.int() }) },
  }),
  readThing: route({
    method: 'GET',
    path: '/v1/bytes',
    scope: 'public',
    family: 'things',
    summary: 'Read bytes',
    answer: { kind: 'bytes', type: 'application/warc' },
  }),
};

let server: HttpServer | undefined;
let gone = 0;
const failures: unknown[] = [];
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const handlers: HandlersOf<typeof table> = {
  listThings: ({ query }) => ({ items: [{ name: 'ü', query }], next: 'more' }),
  putThing: ({ params, idempotencyKey = '' }) => ({ ...params, key: idempotencyKey }),
  dropThings: () => undefined,
  async *followThings({ query, signal }) {
    yield { n: 1 };
    yield { n: 2 };
    if (query.end === 'badly') throw new Error('the disk is gone');
    if (query.end === 'never')
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    gone++;
  },
  readThing: () => ({
    status: 200,
    headers: { 'content-length': '3' },
    bytes: (async function* () {
      yield new Uint8Array([1, 2, 3]);
    })(),
  }),
};

async function open(token: string | undefined = 'operator') {
  server = await openHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    app: appOf({ routes: table, handlers: () => handlers, failed: (error) => failures.push(error) }),
    upgrades: {},
    tls: undefined,
  });
  return clientOf(table, { url: urlOf(server.address), token, fetch });
}

async function read<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

it('sends what each route takes, and answers what it answers', async () => {
  const client = await open();
  const { items, next } = await client.listThings({ query: { tag: ['a b', 'c&d'], deep: true, limit: 7 } });
  expect([items[0]?.name, next]).toEqual(['ü', 'more']);
  expect(items[0]?.query).toEqual({ tag: ['a b', 'c&d'], deep: true, limit: 7, after: '' });
  expect((await client.listThings()).items[0]?.query).toMatchObject({ tag: [], limit: 100 });
  const params = { thing: 'a/b?c#d ü' };
  expect(await client.putThing({ params, body: { text: 'x' }, idempotencyKey: 'k' })).toEqual({
    thing: params.thing,
    key: 'k',
  });
  expect(await client.dropThings()).toBeUndefined();
  expect(await read((await client.readThing()).bytes)).toEqual([new Uint8Array([1, 2, 3])]);
});

it('throws refusals as errors with what to do next', async () => {
  const client = await open('other');
  const refusal = await client.listThings().catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(WebfarerError);
  expect(refusal).toMatchObject({ code: 'link-refused', next: expect.stringContaining('Authorization') });
  const wrong = (await open()).listThings({ query: { limit: 0 } });
  await expect(wrong).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('query limit'),
  });
});

it('reads lines as they come, and notices an answer that was cut off', async () => {
  const client = await open();
  expect(await read(await client.followThings({ query: { end: 'well' } }))).toEqual([{ n: 1 }, { n: 2 }]);
  const seen: unknown[] = [];
  const cut = (async () => {
    for await (const value of await client.followThings({ query: { end: 'badly' } })) seen.push(value);
  })();
  await expect(cut).rejects.toMatchObject({ code: 'link-lost' });
  expect(seen).toEqual([{ n: 1 }, { n: 2 }]);
  expect(failures.splice(0)).toEqual([new Error('the disk is gone')]);
});

it('answers the head of a stream without beginning it', async () => {
  await open();
  const head = await fetch(`${urlOf((server as HttpServer).address)}/v1/follow?end=never`, {
    method: 'HEAD',
  });
  expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
    200,
    'application/x-ndjson',
    '',
  ]);
});

it('lets the server know when nobody reads on', async () => {
  const client = await open();
  const before = gone;
  for await (const { n } of await client.followThings({ query: { end: 'never' } })) if (n === 2) break;
  await vi.waitFor(() => expect(gone).toBe(before + 1), 10_000);
  const stop = new AbortController();
  const values = await client.followThings({ query: { end: 'never' }, signal: stop.signal });
  const reading = read(values);
  stop.abort();
  await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  await vi.waitFor(() => expect(gone).toBe(before + 2), 10_000);
});

it('says when nothing answers, or something else than a coordinator', async () => {
  const client = await open();
  await server?.stop();
  await expect(client.listThings()).rejects.toMatchObject({ code: 'link-lost' });
  const page: ClientOptions['fetch'] = () => Promise.resolve(new Response('<html>', { status: 502 }));
  const elsewhere = clientOf(table, { url: 'http://x.example/', token: undefined, fetch: page });
  await expect(elsewhere.listThings()).rejects.toMatchObject({
    code: 'link-lost',
    message: expect.stringContaining('502'),
  });
});

it('asks for a part of a file', async () => {
  const download = route({
    method: 'GET',
    path: '/v1/file',
    scope: 'viewer',
    family: 'things',
    summary: 'Download a file',
    answer: { kind: 'bytes', type: 'application/octet-stream' },
  });
  const asked: (string | undefined)[] = [];
  const client = clientOf(
    { download },
    {
      url: 'http://127.0.0.1',
      token: undefined,
      fetch: (_, { headers }) => {
        asked.push(headers['range']);
        return Promise.resolve(new Response('abc', { status: 206 }));
      },
    },
  );
  await client.download({ range: { first: 10, last: 12 } });
  await client.download();
  expect(asked).toEqual(['bytes=10-12', undefined]);
});
