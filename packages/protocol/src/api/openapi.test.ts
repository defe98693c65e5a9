import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { openApiOf } from './openapi.ts';
import { route } from './route.ts';
import { routeFamilies, routes } from './routes.ts';

const document = openApiOf(routes, routeFamilies, { version: '1.2.3' });

async function lint(given: unknown): Promise<string[]> {
  const problems = await lintFromString({
    source: JSON.stringify(given),
    absoluteRef: 'openapi.json',
    config: await createConfig({ extends: ['recommended-strict'] }),
  });
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`,
  );
}

it('passes the strict rules of a linter', async () => {
  expect(await lint(document)).toEqual([]);
});

it('the linter notices a document that is wrong', async () => {
  const { summary: _summary, ...operation } = document.paths['/v1/version']!['get']!;
  const wrong = { ...document, paths: { '/v1/version': { get: { ...operation, responses: { 200: {} } } } } };
  expect((await lint(wrong)).join()).toMatch(/operation-summary/);
});

it('has every route once, by its name, with the scope it needs', () => {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(Object.keys(routes).toSorted());
  for (const { operationId, 'x-scope': scope = 'public', security } of operations) {
    expect(scope).toBe(routes[operationId as keyof typeof routes].scope);
    expect(security.length).toBe(scope === 'public' ? 0 : 2);
  }
});

it('every route belongs to a family, has a path of this version and a summary in the imperative', () => {
  const paths = new Set<string>();
  for (const [name, { family, path, method, summary }] of Object.entries(routes)) {
    expect(Object.keys(routeFamilies), name).toContain(family);
    // Prometheus asks at /metrics unless it is told otherwise.
    if (path !== '/metrics') expect(path).toMatch(/^\/v1(\/[a-z-]+|\/\{[a-z][A-Za-z]*\})+(\.json)?$/);
    expect(summary).toMatch(/^[A-Z].*[^.]$/);
    paths.add(`${method} ${path.replace(/\{\w+\}/g, '{}')}`);
  }
  expect(paths.size).toBe(Object.keys(routes).length);
});

it('describes parameters, bodies and answers by their schemas', () => {
  const { paths, components } = openApiOf(
    {
      putThing: route({
        method: 'PUT',
        path: '/v1/things/{thing}',
        scope: 'operator',
        family: 'things',
        summary: 'Keep a thing',
        params: z.strictObject({ thing: z.string() }),
        query: z.strictObject({ limit: z.int().min(1).default(5).describe('How many'), at: z.string() }),
        body: z.strictObject({ text: z.string() }).meta({ id: 'Text' }),
        idempotent: true,
        answer: { kind: 'ndjson', item: z.object({ n: z.int() }).meta({ id: 'Item' }) },
      }),
    },
    { things: 'Things' },
    { version: '1' },
  );
  expect(paths['/v1/things/{thing}']?.['put']).toMatchObject({
    parameters: [
      { name: 'thing', in: 'path', required: true },
      { name: 'limit', in: 'query', required: false, description: 'How many', schema: { default: 5 } },
      { name: 'at', in: 'query', required: true },
      { $ref: '#/components/parameters/IdempotencyKey' },
    ],
    requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Text' } } } },
    responses: {
      200: { content: { 'application/x-ndjson': { schema: { $ref: '#/components/schemas/Item' } } } },
    },
  });
  expect(Object.keys(components.schemas)).toEqual(['Item', 'Problem', 'Text']);
});

it('a path that names other parameters than it describes is refused at once', () => {
  expect(() =>
    route({
      method: 'GET',
      path: '/v1/{other}',
      scope: 'viewer',
      family: 'x',
      summary: 'X',
      params: z.strictObject({ thing: z.string() }),
      answer: { kind: 'none' },
    }),
  ).toThrow('/v1/{other}');
});
