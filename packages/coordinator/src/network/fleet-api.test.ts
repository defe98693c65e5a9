import type { WorkerId } from '@webfarer/protocol';
import { routes } from '@webfarer/protocol/api';
import type { Orders } from '@webfarer/protocol/link';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Coordinator } from '../coordinator-parts.ts';
import { type ApiServer, openApiServer } from '../api-server.fixture.ts';

let api: ApiServer;
let coordinator: Coordinator;

beforeEach(async () => {
  api = await openApiServer();
  coordinator = await api.server.host({});
});
afterEach(() => api.stop());

async function ask(method: string, path: string, body?: unknown) {
  const answer = await api.ask(method, path, body);
  return { ...answer, body: (answer.body ?? {}) as never };
}

/** A worker of this process that notes its orders. */
function join1(id: string) {
  const told: string[] = [];
  const note = (type: string) => () => void told.push(type);
  const orders: Orders = {
    wake: note('wake'),
    release: note('release'),
    releaseHosts: note('releaseHosts'),
    water: note('water'),
    crawls: note('crawls'),
    crawlNews: note('crawl-news'),
    deleted: note('deleted'),
    peers: note('peers'),
    switch: note('switch'),
    drain: note('drain'),
  };
  const look = () => ({ inFlight: 0, waiting: [], written: [] });
  const closeCrawl = () => Promise.resolve();
  const who = { id: id as WorkerId, connections: 5, isToldAsLeased: false };
  const worker = { ...who, orders, look, keeps: () => [], closeCrawl };
  const { link } = coordinator.connect(worker);
  return { link, told };
}

const cordonOf = async (worker: string) => {
  const { items } = routes.listWorkers.answer.schema.parse((await ask('GET', '/v1/workers')).body);
  return items.find((one) => one.worker === worker)?.cordon;
};

it('cordons, drains and lets go a worker', async () => {
  const { link, told } = join1('w1');
  const request = { worker: 'w1' as WorkerId, hosts: 1, urlsPerHost: 1 };
  expect(await cordonOf('w1')).toBe('active');
  const cordoned = await ask('POST', '/v1/workers/w1/cordon');
  expect([cordoned.status, cordoned.body]).toEqual([200, { id: 'w1', cordon: 'cordoned' }]);
  expect(await cordonOf('w1')).toBe('cordoned');
  expect(await link.lease(request)).toEqual({ leases: [], nextDueMs: null });
  await ask('POST', '/v1/workers/w1/drain');
  expect(await cordonOf('w1')).toBe('draining');
  // It is a part of this process: it gives back what it has and stays.
  expect(told).toContain('release');
  told.length = 0;
  await ask('POST', '/v1/workers/w1/uncordon');
  expect(await cordonOf('w1')).toBe('active');
  expect(told).toContain('wake');
});

it('lists the coordinators, and a cordoned one is no peer any more', async () => {
  const list = async () =>
    routes.listCoordinators.answer.schema.parse((await ask('GET', '/v1/coordinators')).body).items;
  await expect.poll(list).toMatchObject([{ id: api.server.id, cordon: 'active' }]);
  await ask('POST', `/v1/coordinators/${api.server.id}/cordon`);
  expect(await list()).toMatchObject([{ id: api.server.id, cordon: 'cordoned' }]);
  await ask('POST', `/v1/coordinators/${api.server.id}/uncordon`);
  expect(await list()).toMatchObject([{ cordon: 'active' }]);
});

it('shows the secret of a webhook once, and never again', async () => {
  const body = { url: 'https://hooks.example/x', events: ['crawl.finished'] };
  const created = await ask('POST', '/v1/webhooks', body);
  expect(created.status).toBe(201);
  const { id, secret } = routes.createWebhook.answer.schema.parse(created.body);
  expect(secret).toMatch(/^whsec_/);
  const rotated = await ask('POST', `/v1/webhooks/${id}/rotate`);
  const { secret: next } = routes.rotateWebhookSecret.answer.schema.parse(rotated.body);
  expect(next).not.toBe(secret);
  const edited = await ask('PATCH', `/v1/webhooks/${id}`, { enabled: false });
  expect(edited.body).toMatchObject({ id, enabled: false });
  await ask('POST', `/v1/webhooks/${id}/test`);
  const deliveries = await ask('GET', `/v1/webhooks/${id}/deliveries?state=pending`);
  expect(routes.listDeliveries.answer.schema.parse(deliveries.body).items).toMatchObject([
    { type: 'webhook.test' },
  ]);
  const shown = [
    edited,
    deliveries,
    await ask('GET', '/v1/webhooks'),
    await ask('GET', `/v1/webhooks/${id}`),
  ];
  shown.push(await ask('GET', '/v1/audit'));
  for (const { body: told } of shown) expect(JSON.stringify(told)).not.toMatch(/whsec_/);
  expect((await ask('DELETE', `/v1/webhooks/${id}`)).status).toBe(204);
  expect((await ask('GET', `/v1/webhooks/${id}`)).status).toBe(404);
  expect((await ask('POST', '/v1/webhooks', { ...body, url: 'http://a:b@c/' })).status).toBe(400);
});
