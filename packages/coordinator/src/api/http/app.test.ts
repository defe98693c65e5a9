import { type Problem, pageOf, paging, problemSchema, route } from '@webfarer/protocol/api';
import { WebfarerError } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { appOf } from './app.fixture.ts';
import type { ApiChange } from './app.ts';
import type { HandlersOf, Principal } from '../call/call.ts';
import { maxBodyBytes } from '../call/read-request.ts';

const things = {
  listThings: route({
    method: 'GET',
    path: '/v1/things',
    scope: 'viewer',
    family: 'things',
    summary: 'List things',
    query: z.strictObject({
      ...paging,
      tag: z.array(z.string()).default([]),
      deep: z.boolean().default(false),
    }),
    answer: { kind: 'json', status: 200, schema: pageOf(z.unknown()) },
  }),
  putThing: route({
    method: 'PUT',
    path: '/v1/things/{thing}',
    scope: 'operator',
    family: 'things',
    summary: 'Keep a thing',
    params: z.strictObject({ thing: z.string().max(20) }),
    body: z.strictObject({ text: z.string(), more: z.record(z.string(), z.unknown()).default({}) }),
    yamlField: 'text',
    idempotent: true,
    answer: { kind: 'json', status: 201, schema: z.unknown() },
  }),
  dropThings: route({
    method: 'DELETE',
    path: '/v1/things',
    scope: 'admin',
    family: 'things',
    summary: 'Drop all',
    answer: { kind: 'none' },
  }),
  weighThings: route({
    method: 'POST',
    path: '/v1/things-weighed',
    scope: 'viewer',
    family: 'things',
    summary: 'Weigh things',
    changesNothing: true,
    answer: { kind: 'json', status: 200, schema: z.unknown() },
  }),
  followThings: route({
    method: 'GET',
    path: '/v1/follow',
    scope: 'public',
    family: 'things',
    summary: 'Follow things',
    answer: { kind: 'ndjson', item: z.unknown() },
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

const handlers: HandlersOf<typeof things> = {
  listThings: ({ query }) => ({ items: [query] }),
  putThing: ({ params, body, idempotencyKey, principal }) => {
    if (params.thing === 'bug') throw new TypeError('secret details');
    if (params.thing === 'full') throw Object.assign(new Error('no space on /secret'), { code: 'ENOSPC' });
    if (params.thing === 'gone')
      throw new WebfarerError('not-found', 'no such thing', { next: 'List them.' });
    return { ...params, ...body, idempotencyKey, by: principal.id };
  },
  dropThings: () => undefined,
  weighThings: () => ({ grams: 3 }),
  async *followThings() {
    yield { n: 1 };
    yield { n: 2 };
  },
  readThing: ({ header }) => ({
    status: 206,
    headers: { 'content-range': `bytes 0-2/9 of ${header('range')}` },
    bytes: (async function* () {
      yield new TextEncoder().encode('abc');
    })(),
  }),
};

interface OpenOptions {
  starting?: boolean;
  /** What readThing streams, by the range that was asked for. */
  bytes?: (range: string) => AsyncIterable<Uint8Array>;
}

function open({ starting = false, bytes }: OpenOptions = {}) {
  const readThing: typeof handlers.readThing = ({ header }) => ({
    status: 200,
    headers: {},
    bytes: (bytes as NonNullable<typeof bytes>)(header('range') ?? ''),
  });
  const given = bytes ? { ...handlers, readThing } : handlers;
  const changes: ApiChange[] = [];
  const bugs: unknown[] = [];
  const app = appOf({
    routes: things,
    handlers: () => (starting ? undefined : given),
    changed: async (change) => void changes.push(change),
    failed: (error) => bugs.push(error),
  });
  async function ask(path: string, init: RequestInit & { as?: string } = {}) {
    const { as, headers, ...rest } = init;
    const authorization = as === undefined ? {} : { authorization: `Bearer ${as}` };
    const given = { host: 'here.example', ...authorization, ...(headers as Record<string, string>) };
    const request = new Request(`http://here.example${path}`, { ...rest, headers: given });
    return await app(request, { cutOff: () => undefined });
  }
  async function refused(path: string, init: RequestInit & { as?: string } = {}): Promise<Problem> {
    const response = await ask(path, init);
    expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    const problem = problemSchema.parse(await response.json());
    expect(problem.status).toBe(response.status);
    return problem;
  }
  const put = (body: unknown, type = 'application/json') => ({
    method: 'PUT',
    as: 'operator',
    headers: { 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { ask, refused, put, changes, bugs };
}

it('asks for a token, and for one with the scope that the route needs', async () => {
  const { ask, refused } = open();
  expect(await refused('/v1/things')).toMatchObject({ status: 401, code: 'link-refused' });
  expect(await refused('/v1/things', { as: 'nobody' })).toMatchObject({ status: 401 });
  expect(await refused('/v1/things', { as: 'worker' })).toMatchObject({ status: 403, code: 'forbidden' });
  expect(await refused('/v1/things', { as: 'operator', method: 'DELETE' })).toMatchObject({ status: 403 });
  expect((await ask('/v1/things', { as: 'admin', method: 'DELETE' })).status).toBe(204);
  expect((await ask('/v1/follow')).status).toBe(200);
});

it('shows its status to operators, and accepts no other token there', async () => {
  const { ask, refused } = open();
  expect((await ask('/status', { as: 'operator' })).status).toBe(200);
  for (const as of ['worker', 'viewer', 'nobody'])
    expect(await refused('/status', { as })).toMatchObject({ status: 401, code: 'link-refused' });
});

it('reads query values by their types, and refuses all others', async () => {
  const { ask, refused } = open();
  const answer = await ask('/v1/things?tag=a&tag=b%26&limit=7&deep=true', { as: 'viewer' });
  expect(await answer.json()).toEqual({
    items: [{ after: '', limit: 7, tag: ['a', 'b&'], deep: true }],
  });
  for (const [search, at] of [
    ['limit=0', 'limit'],
    ['limit=', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['limit=1e3', 'limit'],
    ['deep=1', 'deep'],
    ['other=1', 'other'],
    ['__proto__=1', '__proto__'],
    ['constructor=1', 'constructor'],
  ])
    expect(await refused(`/v1/things?${search}`, { as: 'viewer' }), search).toMatchObject({
      status: 400,
      code: 'usage',
      invalid: [{ in: 'query', at }],
    });
});

it('reads a body as JSON, or its one field as YAML, and nothing else', async () => {
  const { ask, refused, put } = open();
  const kept = await ask('/v1/things/x', put({ text: 'a' }));
  expect([kept.status, await kept.json()]).toEqual([
    201,
    { thing: 'x', text: 'a', more: {}, by: 'operator' },
  ]);
  expect(await (await ask('/v1/things/x', put('seeds: [a]', 'application/yaml'))).json()).toMatchObject({
    text: 'seeds: [a]',
  });
  expect(await refused('/v1/things/x', put('text=a', 'application/x-www-form-urlencoded'))).toMatchObject({
    status: 415,
  });
  expect(await refused('/v1/things/x', put('{', 'application/json'))).toMatchObject({ status: 400 });
  expect(await refused('/v1/things/x', put({ text: 'a', extra: 1 }))).toMatchObject({ status: 400 });
  expect(await refused(`/v1/things/${'x'.repeat(21)}`, put({ text: 'a' }))).toMatchObject({
    invalid: [{ in: 'path', at: 'thing' }],
  });
  expect(await refused('/v1/things', { method: 'DELETE', as: 'admin', body: '{}' })).toMatchObject({
    status: 400,
    invalid: [{ in: 'body' }],
  });
});

it('refuses names that reach a prototype, bodies that are too large and values nested too deeply', async () => {
  const { refused, put } = open();
  for (const body of [
    '{"text":"a","__proto__":{"x":1}}',
    '{"text":"a","more":{"a":[{"constructor":{"prototype":{}}}]}}',
    `{"text":"a","more":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`,
  ])
    expect(await refused('/v1/things/x', put(body)), body.slice(0, 40)).toMatchObject({ status: 400 });
  expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  for (const path of ['/v1/things/__proto__', '/v1/things/constructor', '/v1/things/%FF', '/v1/things/%zz'])
    expect(await refused(path, put({ text: 'a' })), path).toMatchObject({
      status: 400,
      invalid: [{ in: 'path' }],
    });
  expect(await refused('/v1/things/x', put({ text: 'x'.repeat(maxBodyBytes) }))).toMatchObject({
    status: 413,
    code: 'too-large',
  });
});

it('refuses what a browser sends for another site', async () => {
  const { ask, refused } = open();
  const from = (headers: Record<string, string>) => ({ as: 'viewer', headers });
  expect((await ask('/v1/things', from({ origin: 'https://here.example' }))).status).toBe(200);
  expect((await ask('/v1/things', from({ 'sec-fetch-site': 'same-origin' }))).status).toBe(200);
  for (const headers of [
    { origin: 'https://elsewhere.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])
    expect(await refused('/v1/things', from(headers as Record<string, string>))).toMatchObject({
      status: 403,
      code: 'forbidden',
    });
});

it('says which methods and paths there are', async () => {
  const { ask, refused } = open();
  expect(await refused('/v1/things/x', { method: 'POST' })).toMatchObject({ status: 405 });
  expect((await ask('/v1/things', { method: 'PATCH' })).headers.get('allow')).toBe('GET, DELETE');
  expect(await refused('/v1/nothing')).toMatchObject({ status: 404, code: 'not-found' });
  expect(await refused('/v1/things/')).toMatchObject({ status: 404 });
});

it('takes an idempotency key where the route does', async () => {
  const { ask, refused, put } = open();
  const key = (value: string) => ({
    ...put({ text: 'a' }),
    headers: { 'content-type': 'application/json', 'idempotency-key': value },
  });
  expect(await (await ask('/v1/things/x', key('k-1'))).json()).toMatchObject({ idempotencyKey: 'k-1' });
  expect(await refused('/v1/things/x', key('a b'))).toMatchObject({ invalid: [{ in: 'header' }] });
  expect(await refused('/v1/things', { as: 'viewer', headers: { 'idempotency-key': 'k' } })).toMatchObject({
    status: 400,
  });
});

it('answers errors as problems, and bugs without their text', async () => {
  const { ask, refused, put, bugs } = open();
  expect(await refused('/v1/things/gone', put({ text: 'a' }))).toMatchObject({
    type: 'urn:webfarer:problem:not-found',
    status: 404,
    detail: 'no such thing',
    next: 'List them.',
    retryable: false,
  });
  const bug = await ask('/v1/things/bug', put({ text: 'a' }));
  expect(bug.status).toBe(500);
  expect(await bug.text()).not.toMatch(/secret|TypeError|\.ts|at /);
  expect(bugs).toEqual([new TypeError('secret details')]);
  const full = await refused('/v1/things/full', put({ text: 'a' }));
  expect(full).toMatchObject({ status: 507, code: 'storage', detail: expect.stringContaining('full') });
  expect(JSON.stringify(full)).not.toContain('/secret');
  expect(bugs).toHaveLength(1);
});

it('refuses a question to a store that is silent, which would otherwise wait', async () => {
  const app = appOf({
    routes: things,
    handlers: () => ({ ...handlers, listThings: () => new Promise<never>(() => {}) }),
    storeTrouble: () => 'the store is unreachable; retrying',
  });
  const request = new Request('http://here.example/v1/things', {
    headers: { host: 'here.example', authorization: 'Bearer viewer' },
  });
  const late = new Promise<string>((resolve) => void setTimeout(() => resolve('it waits'), 4_000));
  const answer = await Promise.race([app(request, { cutOff: () => undefined }), late]);
  expect(answer).toBeInstanceOf(Response);
  expect(await (answer as Response).json()).toMatchObject({ status: 503, code: 'store-silent' });
});

it('reports every change that succeeded', async () => {
  const { ask, put, changes } = open();
  await ask('/v1/things', { as: 'viewer' });
  await ask('/v1/things/gone', put({ text: 'a' }));
  await ask('/v1/things/x', put({ text: 'a' }));
  expect((await ask('/v1/things-weighed', { method: 'POST', as: 'viewer' })).status).toBe(200);
  expect(changes).toMatchObject([
    { principal: { id: 'operator', scope: 'operator', team: 'a' }, action: 'putThing', what: '/v1/things/x' },
  ]);
});

it('streams lines and bytes', async () => {
  const { ask } = open();
  const followed = await ask('/v1/follow');
  expect(followed.headers.get('content-type')).toBe('application/x-ndjson');
  expect(await followed.text()).toBe('{"n":1}\n{"n":2}\n');
  const part = await ask('/v1/bytes', { headers: { range: 'bytes=0-2' } });
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
    206,
    'bytes 0-2/9 of bytes=0-2',
    'abc',
  ]);
});

it('carries the security headers on every answer', async () => {
  const { ask } = open();
  for (const path of ['/health', '/status', '/v1/things', '/v1/follow', '/v1/nothing', '/v1/things/x'])
    for (const headers of [{}, { origin: 'https://elsewhere.example' }]) {
      const answer = await ask(path, { headers: headers as Record<string, string> });
      expect(answer.headers.get('content-security-policy'), path).toMatch(/^default-src 'none'/);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
});

it('asks to come back while it starts up', async () => {
  const { ask, refused } = open({ starting: true });
  expect(await refused('/v1/things', { as: 'viewer' })).toMatchObject({ status: 503, code: 'starting' });
  expect((await ask('/health')).status).toBe(200);
});

it('ends what it was about to stream where only the head is asked for, or nobody reads it', async () => {
  const ended: string[] = [];
  const endless = (name: string) =>
    (async function* () {
      try {
        for (;;) yield new Uint8Array(10);
      } finally {
        ended.push(name);
      }
    })();
  const opened = open({ bytes: endless });
  await opened.ask('/v1/bytes', { method: 'HEAD', headers: { range: 'head' } });
  await expect.poll(() => ended).toEqual(['head']);
  const unread = await opened.ask('/v1/bytes', { headers: { range: 'unread' } });
  await unread.body?.cancel();
  await expect.poll(() => ended).toEqual(['head', 'unread']);
});

it('cuts off an answer whose token is revoked while it is written', { timeout: 30_000 }, async () => {
  let isAccepted = true;
  const { app, cuts } = withTokens((header) =>
    isAccepted && header === 'Bearer viewer' ? { id: 'v', scope: 'viewer', team: 'a' } : undefined,
  );
  const request = new Request('http://here.example/v1/watch', {
    headers: { authorization: 'Bearer viewer' },
  });
  const response = await app(request, { cutOff: () => cuts.push('cut') });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('{"n":1}\n');
  isAccepted = false;
  const after = reader.read();
  await expect.poll(() => cuts, { timeout: 30_000 }).toEqual(['cut']);
  // Not the end of the answer: the connection is gone, and the client must see that something is missing.
  expect(await Promise.race([after, Promise.resolve('pending')])).toBe('pending');
});

/** One stream that waits for news without end. */
function withTokens(authenticate: (header: string | undefined) => Principal | undefined) {
  const cuts: string[] = [];
  const watch = route({
    method: 'GET',
    path: '/v1/watch',
    scope: 'viewer',
    family: 'things',
    summary: 'Watch things',
    answer: { kind: 'ndjson', item: z.unknown() },
  });
  const app = appOf({
    routes: { watch },
    handlers: () => ({
      async *watch({ signal }) {
        yield { n: 1 };
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    }),
    authenticate: (header) => authenticate(header('authorization')),
    failed: (error) => cuts.push(String(error)),
  });
  return { app, cuts };
}
