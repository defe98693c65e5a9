import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type ApiServer, openApiServer } from './api-server.fixture.ts';
import { sqlite } from './sqlite/node-sqlite.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const seeds = ['http://127.0.0.1:9/'];
const schedule = {
  name: 'torn',
  when: { every: 1, unit: 'days', startsAt: '2099-01-01T00:00:00Z' },
  run: { job: { seeds } },
};

/** While the coordinator is down, something else damages a document. */
async function damage(server: ApiServer, file: string, sql: string): Promise<void> {
  await server.restart(() => {
    const db = new (sqlite().DatabaseSync)(join(server.folder, file));
    expect(db.prepare(sql).run().changes).toBe(1);
    db.close();
    return Promise.resolve();
  });
  await server.coordinator.start();
}

async function opened(): Promise<ApiServer> {
  const server = await openApiServer();
  ends.push(() => server.stop());
  return server;
}

it('takes up the other crawls, says what is wrong with the damaged one, and deletes it', async () => {
  const server = await opened();
  for (const name of ['torn', 'whole']) await server.ask('POST', '/v1/crawls', { job: { name, seeds } });
  await damage(server, 'catalog.db', `UPDATE crawls SET text = '{"job": ' WHERE name = 'torn'`);
  const { body } = (await server.ask('GET', '/v1/crawls')) as { body: { items: unknown[] } };
  expect(body.items).toMatchObject([
    {
      name: 'torn',
      state: 'failed',
      failure: { code: 'conflict', message: expect.stringContaining('damaged'), next: expect.any(String) },
    },
    { name: 'whole', state: 'running' },
  ]);
  expect((await server.ask('DELETE', '/v1/crawls/torn')).status).toBe(204);
  expect((await server.ask('POST', '/v1/crawls', { job: { name: 'torn', seeds } })).status).toBe(201);
});

it('keeps the other schedules, says what is wrong with the damaged one, and deletes it', async () => {
  const server = await opened();
  for (const id of ['torn', 'whole']) await server.ask('PUT', `/v1/schedules/${id}`, { schedule });
  await damage(server, 'registry.db', `UPDATE docs SET text = '{"schedule": ' WHERE id = 'torn'`);
  const list = await server.ask('GET', '/v1/schedules');
  expect(list.body).toMatchObject({ items: [{ id: 'whole' }] });
  expect(await server.ask('GET', '/v1/schedules/torn')).toMatchObject({
    status: 409,
    body: { next: expect.stringContaining('admin delete') },
  });
  expect((await server.ask('DELETE', '/v1/schedules/torn')).status).toBe(204);
  expect((await server.ask('DELETE', '/v1/schedules/torn')).status).toBe(404);
});
