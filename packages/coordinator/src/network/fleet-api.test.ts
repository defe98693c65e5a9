import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkerId } from '@webfarer/protocol';
import { routes } from '@webfarer/protocol/api';
import type { Orders } from '@webfarer/protocol/link';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Coordinator } from '../coordinator.ts';
import { openServer, type Server } from '../server.ts';

let folder: string;
let server: Server;
let coordinator: Coordinator;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-fleet-'));
  const listen = { host: '127.0.0.1', port: 0 };
  server = await openServer({ folder, version: '1', listen, advertise: undefined, expectsWorker: false });
  coordinator = await server.host({});
  await server.ready();
});
afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(method: string, path: string, body?: unknown) {
  const token = readFileSync(join(folder, 'operator.token'), 'utf8').trim();
  const response = await fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, body: (text === '' ? {} : JSON.parse(text)) as never };
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
    peers: note('peers'),
    switch: note('switch'),
    drain: note('drain'),
  };
  const look = () => ({ inFlight: 0, waiting: [], written: [] });
  const closeCrawl = () => Promise.resolve();
  const { link } = coordinator.connect({ id: id as WorkerId, connections: 5, orders, look, closeCrawl });
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
  await expect.poll(list).toMatchObject([{ id: server.id, cordon: 'active' }]);
  await ask('POST', `/v1/coordinators/${server.id}/cordon`);
  expect(await list()).toMatchObject([{ id: server.id, cordon: 'cordoned' }]);
  await ask('POST', `/v1/coordinators/${server.id}/uncordon`);
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
  for (const { text } of shown) expect(text).not.toMatch(/whsec_/);
  expect((await ask('DELETE', `/v1/webhooks/${id}`)).status).toBe(204);
  expect((await ask('GET', `/v1/webhooks/${id}`)).status).toBe(404);
  expect((await ask('POST', '/v1/webhooks', { ...body, url: 'http://a:b@c/' })).status).toBe(400);
});
