import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type ApiServer, openApiServer } from './api-server.fixture.ts';

let api: ApiServer;
beforeEach(async () => {
  api = await openApiServer();
});
afterEach(() => api.stop());

const params = { crawl: 'shop' };
const body = { job: { name: 'shop', seeds: ['https://shop.example/'] } };

it('shows how the counts of a crawl went, while it runs and when nobody works on it', async () => {
  await api.client().createCrawl({ body });
  const history = async (sinceMs = 0) => await api.client().getHistory({ params, query: { sinceMs } });
  const before = await vi.waitFor(async () => {
    const found = await history();
    expect(found).toMatchObject({ stepMs: 20_000, items: [{ known: 1, queued: 1, done: 0, bytes: 0 }] });
    return found;
  }, 10_000);
  await api.client().stopCrawl({ params });
  await vi.waitFor(
    async () => expect((await api.client().getCrawl({ params })).state).toBe('stopped'),
    10_000,
  );
  const { items } = await history();
  expect(items.length).toBeGreaterThanOrEqual(before.items.length);
  const last = items.at(-1)?.atMs ?? 0;
  expect((await history(last)).items).toEqual(items.slice(-1));
  expect((await history(last + 1)).items).toEqual([]);
  await expect(api.client().getHistory({ params: { crawl: 'none' }, query: {} })).rejects.toMatchObject({
    code: 'not-found',
  });
});
