import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@webfarer/protocol/api';
import { afterEach, expect, it } from 'vitest';
import { redisForFile } from '../../../test/redis/for-file.ts';
import { openServer } from './server.ts';

const servers = redisForFile();
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function serve(store: { url: string } | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-deleted-'));
  ends.push(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
  const listen = { host: '127.0.0.1', port: 0 };
  const server = await openServer({
    folder,
    version: '1',
    listen,
    advertise: undefined,
    expectsWorker: false,
  });
  ends.push(() => server.stop());
  const choice = store && ({ ...store, durability: 'strict', insecure: false } as const);
  const { registry } = await server.host(choice ? { store: choice } : {});
  await server.ready();
  const token = readFileSync(join(folder, 'operator.token'), 'utf8').trim();
  return { registry, client: createClient({ url: server.url, token, fetch }) };
}

it.each(['SQLite', 'Redis'])('the consumers of a deleted crawl are gone with it: %s', async (kind) => {
  const { registry, client } = await serve(kind === 'Redis' ? await servers() : undefined);
  const create = () =>
    client.createCrawl({ body: { job: { name: 'shop', seeds: ['https://shop.example/'] } } });
  const params = { crawl: 'shop', consumer: 'indexer' };
  await create();
  await client.acknowledgeResults({ params, body: { token: 'start' } });
  const kept = async () => (await registry.list('consumer', { after: '', limit: 9 })).docs.length;
  expect(await kept()).toBe(1);
  await client.deleteCrawl({ params: { crawl: 'shop' } });
  await expect.poll(kept, { timeout: 30_000 }).toBe(0);
  await create();
  expect((await client.listConsumers({ params: { crawl: 'shop' } })).items).toEqual([]);
});
