import type { ApiClient } from '@webfarer/protocol/api';
import { afterEach, expect, it } from 'vitest';
import { redisForFile } from '../../../test/redis/for-file.ts';
import { openApiServer } from './api-server.fixture.ts';

/** Two coordinators of one store answer for the same crawls. */
const servers = redisForFile();
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function serve(url: string): Promise<ApiClient> {
  const api = await openApiServer({ host: { store: { url, durability: 'strict', insecure: false } } });
  ends.push(() => api.stop());
  return api.client();
}

it('a creation that is repeated at another coordinator answers the crawl of the first', async () => {
  const { url } = await servers();
  const [a, b] = [await serve(url), await serve(url)];
  const order = {
    body: { job: { name: 'shop', seeds: ['https://shop.example/'] }, tags: ['weekly'] },
    idempotencyKey: 'k',
  };
  const first = await a.createCrawl(order);
  const again = await b.createCrawl(order);
  expect([again.id, again.createdAtMs, again.tags]).toEqual([first.id, first.createdAtMs, ['weekly']]);
  expect((await b.listCrawls()).items.map(({ name }) => name)).toEqual(['shop']);
  await expect(b.createCrawl({ ...order, idempotencyKey: 'l' })).rejects.toMatchObject({ code: 'conflict' });
});
