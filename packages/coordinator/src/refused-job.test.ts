import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type ApiServer, openApiServer } from './api-server.fixture.ts';
import { openSqliteCatalog } from './catalog/sqlite-catalog.ts';
import { readManifest, writeManifest } from './folder/manifest.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const job = { name: 'old', seeds: ['http://127.0.0.1:9/'], contact: 'https://shop.example/' };
/** What an earlier version took, and this one does not. */
const refused = { scope: { exclude: [{ regex: '^(?!.*x)' }] } };

/** A coordinator whose crawl has a job that an earlier version accepted. */
async function withOldCrawl(): Promise<ApiServer> {
  const server = await openApiServer();
  ends.push(() => server.stop());
  expect((await server.ask('POST', '/v1/crawls', { job })).status).toBe(201);
  const stored = { ...job, ...refused };
  const catalog = openSqliteCatalog(join(server.folder, 'catalog.db'));
  const at = join(server.folder, 'crawls', 'old');
  await server.restart(async () => {
    const manifest = await readManifest(at);
    if (manifest) await writeManifest(at, { ...manifest, job: stored });
    const entry = await catalog.find('old');
    if (entry) await catalog.change(entry.id, entry.version, { job: stored });
    await catalog.close();
  });
  await server.coordinator.start();
  expect((await stateOf(server)).state).toBe('failed');
  return server;
}

async function stateOf({
  ask,
}: ApiServer): Promise<{ state?: string; failure?: { message: string; next: string } }> {
  return (await ask('GET', '/v1/crawls/old')).body as Awaited<ReturnType<typeof stateOf>>;
}

it('shows a crawl whose job is refused by now with the reason, and stops, reads, forgets and deletes it', async () => {
  const server = await withOldCrawl();
  const { ask } = server;
  const { failure } = await stateOf(server);
  expect(failure?.message).toContain('lookahead');
  // What to do about it.
  expect(failure?.next).toMatch(/\w\.$/);
  expect((await ask('GET', '/v1/crawls')).body).toMatchObject({ items: [{ name: 'old', state: 'failed' }] });
  expect((await ask('POST', '/v1/crawls/old/stop')).body).toMatchObject({ state: 'stopped' });
  const asked = '/v1/crawls/old/url?url=http://127.0.0.1:9/';
  expect(await ask('GET', asked)).toMatchObject({ status: 200, body: { state: 'queued' } });
  expect(await ask('GET', '/v1/crawls/old/urls')).toMatchObject({ status: 200, body: { items: [{}] } });
  const forget = await ask('POST', '/v1/crawls/old/forget', { host: '127.0.0.1' });
  expect(forget).toMatchObject({ status: 200, body: { urls: 1 } });
  expect((await ask('DELETE', '/v1/crawls/old')).status).toBe(204);
  expect((await ask('GET', '/v1/crawls')).body).toMatchObject({ items: [] });
});

it('does not run it by what is left of its job, and runs it once that is changed', async () => {
  const server = await withOldCrawl();
  const { ask } = server;
  expect((await ask('POST', '/v1/crawls/old/resume')).status).toBe(400);
  const changes = { scope: { exclude: ['**/x/**'] } };
  const edited = await ask('PATCH', '/v1/crawls/old', { changes, rescope: true });
  expect(edited).toMatchObject({ status: 200 });
  await ask('POST', '/v1/crawls/old/resume');
  await expect.poll(async () => (await stateOf(server)).state, { timeout: 20_000 }).toBe('running');
});
