import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ApiServer, openApiServer } from '../../api-server.fixture.ts';

let api: ApiServer;
beforeEach(async () => {
  api = await openApiServer();
});
afterEach(() => api.stop());

const seeds = ['https://shop.example/', 'https://shop.example/b'];
const create = async (name: string, more: object = {}) => {
  const { status } = await api.ask('POST', '/v1/crawls', { job: { name, seeds, ...more } });
  expect(status).toBe(201);
  await api.ask('POST', `/v1/crawls/${name}/stop`);
};
const earlier = async (crawl: string, token?: string) => {
  const { body } = await api.ask('GET', `/v1/crawls/${crawl}/earlier`, undefined, token);
  return (body as { items: { name: string }[] }).items.map(({ name }) => name);
};

it('lists earlier crawls of the same seeds, the last one first', async () => {
  await create('one');
  await create('other', { seeds: ['https://shop.example/'] });
  await create('two', { seeds: seeds.toReversed() });
  await create('three');
  expect(await earlier('three')).toEqual(['two', 'one']);
  expect(await earlier('one')).toEqual([]);
  await api.ask('DELETE', '/v1/crawls/two');
  expect(await earlier('three')).toEqual(['one']);
});

it('compares with no crawl of another team, and does not say whether there is one', async () => {
  await create('theirs', { team: 'blue' });
  await create('ours', { team: 'red' });
  const { token } = await api.newToken('viewer', 'red');
  expect(await earlier('ours', token)).toEqual([]);
  const compared = async (other: string) =>
    await api.ask('GET', `/v1/crawls/ours/compare?with=${other}`, undefined, token);
  const [theirs, missing] = [await compared('theirs'), await compared('nothing')];
  expect(theirs.status).toBe(404);
  expect(JSON.stringify(theirs.body).replaceAll('theirs', 'nothing')).toBe(JSON.stringify(missing.body));
});

it('compares a crawl with another one, and not with itself', async () => {
  await create('before');
  await create('now');
  const params = { crawl: 'now' };
  expect(await api.client().compareCrawls({ params, query: { with: 'before' } })).toMatchObject({
    ready: true,
    with: { name: 'before' },
    sums: { pages: { now: 0, before: 0 } },
    items: [],
  });
  await expect(api.client().compareCrawls({ params, query: { with: 'now' } })).rejects.toMatchObject({
    code: 'usage',
  });
  await expect(
    api.client().compareCrawls({ params, query: { with: 'before', id: 'none', change: 'new' } }),
  ).rejects.toMatchObject({ code: 'cursor-stale' });
});
