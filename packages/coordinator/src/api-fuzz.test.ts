import { type Route, problemSchema, routes } from '@webfarer/protocol/api';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ApiServer, openApiServer } from './api-server.fixture.ts';

/** Whatever a client with a good token sends, the answer is never a bug, and every refusal is a problem document. */
let api: ApiServer;

beforeAll(async () => {
  api = await openApiServer();
  await ask('POST', '/v1/crawls', { job: { name: 'shop', seeds: ['https://shop.example/'] } });
});
afterAll(() => api.stop());

async function ask(method: string, path: string, body?: unknown): Promise<Response> {
  const authorization = { authorization: `Bearer ${api.admin}` };
  const json = { 'content-type': 'application/json' };
  return await fetch(api.server.url + path, {
    method,
    headers: body === undefined ? authorization : { ...authorization, ...json },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    'shop',
    'running',
    '../..',
    'p1',
    'pzzzzzzzzzz',
    '-1',
    '1e9',
    'https://x.example/',
    '5xx',
    '%',
    '\u0000',
  ),
);
const value = fc.oneof(text, fc.jsonValue({ maxDepth: 2 }), fc.integer(), fc.constant(null));

/** A job that is good but for a few fields. */
const job = fc.record(
  {
    name: fc.oneof(text, fc.string({ unit: 'binary', minLength: 200, maxLength: 400 })),
    seeds: fc.oneof(fc.constant(['https://a.example/']), fc.array(text, { maxLength: 2 })),
    limits: fc.oneof(value, fc.record({ pages: value })),
    scope: fc.oneof(value, fc.record({ include: fc.array(text, { maxLength: 2 }) })),
    policy: value,
    team: value,
  },
  { requiredKeys: ['seeds'] },
);

const [first, ...others] = Object.values<Route>(routes).filter(
  ({ answer }) => answer.kind === 'json' || answer.kind === 'none',
);

function fields(schema: Route['body']): string[] {
  return Object.keys((schema as { shape?: object } | undefined)?.shape ?? {});
}

const request = fc.constantFrom(first as Route, ...others).chain((route) =>
  fc.record({
    route: fc.constant(route),
    params: fc.array(
      fc.oneof({ weight: 3, arbitrary: fc.constant('shop') }, { weight: 1, arbitrary: text }),
      {
        minLength: 3,
        maxLength: 3,
      },
    ),
    query: fc.dictionary(fc.constantFrom(...Object.keys(route.query.shape), 'other'), text, { maxKeys: 3 }),
    body: fc.oneof(
      value,
      fc.dictionary(fc.constantFrom(...fields(route.body), 'other'), fc.oneof(value, job), { maxKeys: 4 }),
      fc.record({ job }),
    ),
  }),
);

it('answers anything without a bug', { timeout: 120_000 }, async () => {
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(request, async ({ route, params, query, body }) => {
      let at = 0;
      const path = route.path.replace(/\{\w+\}/g, () => encodeURIComponent(params[at++] ?? ''));
      const response = await ask(
        route.method,
        `${path}?${new URLSearchParams(query).toString()}`,
        route.body ? body : undefined,
      );
      const answer = await response.text();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      expect(response.status, `${route.method} ${path} ${answer}`).toBeLessThan(500);
      if (response.status >= 400) problemSchema.parse(JSON.parse(answer));
    }),
    { numRuns: 400 },
  );
  // It reached beyond the first check, and some were right.
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400]));
});
