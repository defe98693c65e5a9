import { routes } from '@webfarer/protocol/api';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type ApiServer, openApiServer } from './api-server.fixture.ts';
import { headless } from './crawl/crawl-host.ts';

let api: ApiServer;
beforeEach(async () => {
  api = await openApiServer();
});
afterEach(() => api.stop());

const ask: ApiServer['ask'] = (...asked) => api.ask(...asked);
const client = () => api.client();

const job = { name: 'shop', seeds: ['https://shop.example/'] };

it('creates a crawl, shows it, steers it and deletes it', async () => {
  expect(await ask('GET', '/v1/crawls')).toEqual({ status: 200, body: { items: [] } });
  const created = await ask('POST', '/v1/crawls', { job, tags: ['weekly'] });
  expect(created).toMatchObject({
    status: 201,
    body: { name: 'shop', tags: ['weekly'], state: 'running', job },
  });
  routes.createCrawl.answer.schema.parse(created.body);

  const shown = routes.getCrawl.answer.schema.parse((await ask('GET', '/v1/crawls/shop')).body);
  await vi.waitFor(
    async () =>
      expect(await ask('GET', '/v1/crawls/shop')).toMatchObject({
        body: { seeds: job.seeds, progress: { balance: { known: 1, queued: 1 } } },
      }),
    10_000,
  );
  expect(await ask('GET', `/v1/crawls/${shown.id}`)).toMatchObject({ body: { name: 'shop' } });

  expect(await ask('POST', '/v1/crawls/shop/pause')).toMatchObject({
    status: 200,
    body: { state: 'paused' },
  });
  expect(await ask('POST', '/v1/crawls/shop/resume')).toMatchObject({
    status: 200,
    body: { state: 'running' },
  });
  expect(await ask('DELETE', '/v1/crawls/shop')).toEqual({ status: 204, body: undefined });
  expect(await ask('GET', '/v1/crawls/shop')).toMatchObject({ status: 404, body: { code: 'not-found' } });
});

it('lists crawls by tag and state, page by page', async () => {
  for (const [name, tag] of [
    ['a', 'x'],
    ['b', 'y'],
    ['c', 'x'],
  ] as const)
    await ask('POST', '/v1/crawls', { job: { ...job, name }, tags: [tag] });
  await ask('POST', '/v1/crawls/c/pause');
  const names = async (search: string) => {
    const { items, next } = routes.listCrawls.answer.schema.parse(
      (await ask('GET', `/v1/crawls?${search}`)).body,
    );
    return { names: items.map(({ name }) => name), next };
  };
  expect((await names('tag=x')).names).toEqual(['a', 'c']);
  const first = await names('limit=2');
  expect(first.names).toEqual(['a', 'b']);
  expect((await names(`limit=2&after=${first.next}`)).names).toEqual(['c']);
});

it('edits the job and the tags of a running crawl', async () => {
  await ask('POST', '/v1/crawls', { job: { ...job, limits: { pages: 10, depth: 3 } } });
  const before = routes.getCrawl.answer.schema.parse((await ask('GET', '/v1/crawls/shop')).body);
  const changes = { limits: { pages: 20, depth: null }, politeness: { gap: '3s' } };
  const edit = { changes, rescope: true, tags: ['slow'], version: before.version };
  expect(await ask('PATCH', '/v1/crawls/shop', edit)).toMatchObject({
    status: 200,
    body: { tags: ['slow'] },
  });
  expect(await ask('PATCH', '/v1/crawls/shop', edit)).toMatchObject({
    status: 409,
    body: { code: 'conflict' },
  });
});

it('keeps who edited a crawl and what it changed, and refuses an edit of an older version', async () => {
  await client().createCrawl({ body: { job: { ...job, limits: { pages: 10 } } } });
  const params = { crawl: 'shop' };
  expect(await client().listEdits({ params })).toEqual({ items: [], earlier: 0 });
  const { version } = await client().getCrawl({ params });
  const slower = { changes: { politeness: { gap: '3s' } }, version };
  await client().editCrawl({ params, body: slower });
  await expect(client().editCrawl({ params, body: slower })).rejects.toMatchObject({ code: 'conflict' });
  // Made on the job that the first one left; the same once more changes nothing.
  const fewer = { changes: { limits: { pages: 5 } } };
  await Promise.all([1, 2, 3].map(() => client().editCrawl({ params, body: fewer })));
  const narrower = { changes: { scope: { exclude: ['/a/**'] } }, rescope: true };
  await client().editCrawl({ params, body: narrower });
  const { items } = await client().listEdits({ params });
  expect(items).toMatchObject([
    { seq: 1, changes: [{ field: 'politeness.gap', to: '3s' }] },
    { seq: 2, changes: [{ field: 'limits.pages', from: 10, to: 5 }] },
    { seq: 3, changes: [{ field: 'scope.exclude', to: ['/a/**'] }] },
  ]);
  expect(items[0]).not.toHaveProperty('sweep');
  await vi.waitFor(async () => {
    const { items: later } = await client().listEdits({ params });
    expect(later[2]?.sweep).toMatchObject({ state: 'done', dropped: 0, restored: 0 });
  });
  await expect(
    client().editCrawl({ params, body: { changes: { scope: { exclude: [] } } } }),
  ).rejects.toMatchObject({ code: 'scope-changed' });
});

it('shows what another scope would do, and changes nothing', async () => {
  await client().createCrawl({ body: { job } });
  const params = { crawl: 'shop' };
  await vi.waitFor(async () =>
    expect((await client().getCrawl({ params })).progress?.balance).toMatchObject({ queued: 1 }),
  );
  await client().pauseCrawl({ params });
  const before = await client().getCrawl({ params });
  const changes = { scope: { exclude: ['/**'] } };
  const { version } = before;
  expect(await client().previewScope({ params, body: { changes, version } })).toEqual({
    // A seed stays, whatever the scope.
    dropped: 0,
    rules: [],
    otherRules: 0,
    restored: 0,
    restoredExamples: [],
    looked: { queued: 1, refused: 0 },
  });
  const preview = (body: object) => ask('POST', '/v1/crawls/shop/scope-preview', body);
  expect(await preview({ changes, version: version + 1 })).toMatchObject({ status: 409 });
  expect(await preview({ changes: { scope: { exclude: [{ regex: '(' }] } } })).toMatchObject({
    status: 400,
    body: { code: 'job-invalid', detail: expect.stringContaining('scope.exclude[0].regex') as string },
  });
  expect(await preview({ changes: { name: 'other' } })).toMatchObject({ status: 400 });
  expect(await preview({ changes: { seeds: ['https://b.example/'] } })).toMatchObject({
    body: { code: 'folder-foreign' },
  });
  expect(await preview({ after: 'x' })).toMatchObject({ status: 400, body: { code: 'usage' } });
  const after = await client().getCrawl({ params });
  expect([after.job, after.version]).toEqual([before.job, before.version]);
});

it('explains a URL and queues settled ones again', async () => {
  await ask('POST', '/v1/crawls', { job });
  const url = encodeURIComponent('https://elsewhere.example/');
  expect(await ask('GET', `/v1/crawls/shop/explain?url=${url}`)).toMatchObject({
    status: 200,
    body: { state: 'out-of-scope' },
  });
  expect(await ask('POST', '/v1/crawls/shop/retry', { verdict: 'failed' })).toEqual({
    status: 200,
    body: { queued: 0, searched: 0 },
  });
});

it('says every problem of a job, and that a name is taken', async () => {
  expect(await ask('POST', '/v1/crawls', { job: 'seeds: [a.example]\nlimit: 3\n' })).toMatchObject({
    status: 400,
    body: { code: 'job-invalid', detail: expect.stringContaining('limit') },
  });
  await ask('POST', '/v1/crawls', { job });
  expect(await ask('POST', '/v1/crawls', { job })).toMatchObject({ status: 409, body: { code: 'conflict' } });
});

it('shows no values of request headers', async () => {
  await ask('POST', '/v1/crawls', {
    job: { ...job, fetch: { headers: { 'X-Key': 'k-e-y' }, timeout: '9s' } },
  });
  const { body } = await ask('GET', '/v1/crawls/shop');
  expect(body).toMatchObject({ job: { fetch: { headers: { 'X-Key': '***' }, timeout: '9s' } } });
});

it('answers a repeated creation with the crawl of the first one, also after a restart', async () => {
  const idempotencyKey = 'k-1';
  const order = { body: { job: { ...job }, tags: ['weekly'] }, idempotencyKey };
  const [first, again] = await Promise.all([client().createCrawl(order), client().createCrawl(order)]);
  expect([again.id, again.tags]).toEqual([first.id, ['weekly']]);
  await api.restart();
  expect(await client().createCrawl(order)).toMatchObject({ id: first.id, createdAtMs: first.createdAtMs });
  const other = { body: { job: { ...job, name: 'other' } }, idempotencyKey };
  await expect(client().createCrawl(other)).rejects.toMatchObject({ code: 'conflict' });
  expect((await client().listCrawls()).items.map(({ name }) => name)).toEqual(['shop']);
});

it('answers for a crawl that was stopped: its last figures, edits and questions to its queue', async () => {
  await client().createCrawl({ body: { job } });
  const params = { crawl: 'shop' };
  expect(await client().stopCrawl({ params })).toMatchObject({ state: 'stopped' });
  expect(await client().getCrawl({ params })).toMatchObject({
    state: 'stopped',
    progress: { balance: { known: 1 } },
  });
  const body = { changes: { limits: { pages: 7 } } };
  expect(await client().editCrawl({ params, body })).toMatchObject({ job: { limits: { pages: 7 } } });
  const url = 'https://shop.example/';
  expect(await client().explainUrl({ params, query: { url } })).toMatchObject({ state: 'queued' });
  expect(await client().retryUrls({ params, body: {} })).toEqual({ queued: 0, searched: 0 });
  expect((await client().listUrls({ params, query: { host: 'Shop.example' } })).items).toMatchObject([
    { url, state: 'queued', kind: 'page', depth: 0, attempts: 0 },
  ]);
  expect(await client().dropUrls({ params, body: { prefix: url } })).toEqual({ dropped: 1, searched: 1 });
  expect((await client().listUrls({ params, query: { reason: 'dropped' } })).items).toMatchObject([
    { url, state: 'refused', reason: 'dropped' },
  ]);
  expect(await client().explainUrl({ params, query: { url } })).toMatchObject({ code: 'dropped' });
  // The figures are those of now, not of its last run.
  expect((await client().getCrawl({ params })).progress).toMatchObject({
    balance: { known: 1, queued: 0, refused: 1 },
    byReason: { dropped: 1 },
    pagesPerSecond: 0,
    inFlight: 0,
  });
  expect(await client().retryUrls({ params, body: { verdict: 'refused' } })).toMatchObject({ queued: 1 });
  expect(await client().resumeCrawl({ params })).toMatchObject({ state: 'running' });
  expect(await client().explainUrl({ params, query: { url } })).toMatchObject({ state: 'queued' });
  await client().stopCrawl({ params });
  await client().deleteCrawl({ params });
  expect((await client().listCrawls()).items).toEqual([]);
});

it('retries and drops one URL alone, though others begin with it', async () => {
  const [url, longer] = ['https://shop.example/a', 'https://shop.example/a/b'] as const;
  await client().createCrawl({ body: { job: { ...job, seeds: [url, longer] } } });
  const params = { crawl: 'shop' };
  await client().stopCrawl({ params });
  const states = async () =>
    (await client().listUrls({ params })).items
      .toSorted((a, b) => a.url.length - b.url.length)
      .map(({ state }) => state);
  expect(await client().dropUrls({ params, body: { url } })).toMatchObject({ dropped: 1 });
  expect(await states()).toEqual(['refused', 'queued']);
  expect(await client().getUrl({ params, query: { url } })).toMatchObject({
    state: 'refused',
    known: { url, reason: 'dropped' },
    record: { verdict: 'refused', depth: 0 },
    links: { total: 0, first: [] },
  });
  expect(await client().getUrl({ params, query: { url: longer } })).toMatchObject({
    state: 'queued',
    queue: { ahead: 0, host: 'shop.example' },
  });
  expect(await client().getUrl({ params, query: { url: `${url}/c` } })).toMatchObject({ state: 'unknown' });
  expect(await client().findLinksTo({ params, query: { url } })).toEqual({ items: [], searched: 0 });
  expect(await client().dropUrls({ params, body: {} })).toMatchObject({ dropped: 1 });
  expect(await client().retryUrls({ params, body: { url } })).toMatchObject({ queued: 1 });
  expect(await states()).toEqual(['queued', 'refused']);
});

it('deletes a host from a crawl that is stopped, bars it, and lists what was deleted', async () => {
  const seeds = ['https://shop.example/', 'https://gone.example/', 'https://www.gone.example/'];
  await client().createCrawl({ body: { job: { ...job, seeds, contact: 'https://lab.example/' } } });
  const params = { crawl: 'shop' };
  const body = { host: 'gone.example' };
  expect(await ask('POST', '/v1/crawls/shop/forget', body)).toMatchObject({
    status: 409,
    body: { code: 'conflict' },
  });
  await client().stopCrawl({ params });
  expect(await ask('POST', '/v1/crawls/shop/forget', { host: 'https://gone.example/' })).toMatchObject({
    status: 400,
  });
  expect((await client().listForgotten({ params })).items).toEqual([]);
  expect(await client().forgetHost({ params, body })).toMatchObject({
    pattern: 'gone.example',
    urls: 1,
    complete: true,
    left: [],
  });
  expect((await client().listUrls({ params })).items.map(({ url }) => url).toSorted()).toEqual([
    'https://shop.example/',
    'https://www.gone.example/',
  ]);
  expect((await client().listForgotten({ params })).items).toMatchObject([
    { pattern: 'gone.example', done: { urls: 1 } },
  ]);
  const { items } = await client().listAudit({});
  expect(items).toContainEqual(expect.objectContaining({ action: 'forgetHost' }));
  expect(await client().resumeCrawl({ params })).toMatchObject({ state: 'running' });
  expect((await client().getCrawl({ params })).progress?.balance.known).toBe(2);
});

it('counts what a host has in a crawl that runs, and waits for the end of one that is ending before it deletes', async () => {
  const [isWriting, isWritten] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await api.stop();
  const conclude = async () => {
    isWriting.resolve();
    await isWritten.promise;
    return {};
  };
  api = await openApiServer({ host: { host: { ...headless, conclude } } });
  const contact = 'https://lab.example/';
  await client().createCrawl({ body: { job: { ...job, seeds: ['https://gone.example/'], contact } } });
  const params = { crawl: 'shop' };
  const body = { host: 'gone.example' };
  expect(await client().forgetHost({ params, body: { ...body, dryRun: true } })).toMatchObject({
    complete: false,
  });
  expect(await client().getCrawl({ params })).toMatchObject({ state: 'running' });
  const stopped = client().stopCrawl({ params });
  await isWriting.promise;
  try {
    const forgotten = client().forgetHost({ params, body });
    const first = await Promise.race([forgotten, client().getCrawl({ params })]);
    expect(first).toMatchObject({ name: 'shop', state: 'stopped' });
    isWritten.resolve();
    expect(await forgotten).toMatchObject({ urls: 1, complete: true });
  } finally {
    isWritten.resolve();
    await stopped;
  }
});

it('opens a crawl that was stopped as paused, and leaves one that is open as it is', async () => {
  await client().createCrawl({ body: { job } });
  const params = { crawl: 'shop' };
  const query = { paused: true };
  expect(await client().resumeCrawl({ params, query })).toMatchObject({ state: 'running' });
  await client().stopCrawl({ params });
  expect(await client().resumeCrawl({ params, query })).toMatchObject({ state: 'paused' });
  expect(await client().getCrawl({ params })).toMatchObject({ state: 'paused', progress: { inFlight: 0 } });
  expect(await client().resumeCrawl({ params })).toMatchObject({ state: 'running' });
});
