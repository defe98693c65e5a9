import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { coordinatorStage, type Listener } from './parts.fixture.ts';

/** A site that lets nobody in without the session it gave last, and what it was asked with. */
const stage = coordinatorStage();
const pages = 24;
const within = { timeout: 120_000 };
const asked: { path: string; session: string | undefined; crawl: string }[] = [];
/** The page at which the site replaces the session. */
const renewsAt = '/3';
let session = '';
const site = createServer((request, response) => {
  const path = request.url ?? '/';
  if (path === '/robots.txt') return void response.writeHead(404).end();
  const sent = /session=(\w+)/.exec(request.headers.cookie ?? '')?.[1];
  const crawl = /(one|other)-mark/.exec(request.headers['user-agent'] ?? '')?.[1] ?? '';
  asked.push({ path, session: sent, crawl });
  if (path === '/') session = 'first';
  else if (sent !== session)
    return void response.writeHead(403, { 'content-type': 'text/html' }).end('login');
  if (path === renewsAt) session = 'second';
  const links = Array.from({ length: pages }, (_, i) => `<a href="/${i}">${i}</a>`).join('');
  const cookies = path === '/' || path === renewsAt ? { 'set-cookie': `session=${session}; Path=/` } : {};
  response.writeHead(200, { 'content-type': 'text/html', ...cookies }).end(links);
});
let origin: string;
let server: Listener;

beforeEach(async () => {
  asked.length = 0;
  session = '';
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  server = await stage.serverIn('data');
});
afterEach(async () => {
  site.closeAllConnections();
  await new Promise((resolve) => site.close(resolve));
});

const job = (name: string, more: object = {}) =>
  stage.job(name, [{ origin } as never], { contact: `https://lab.test/${name}-mark`, ...more });
const askedAtLeast = (count: number) =>
  vi.waitFor(() => expect(asked.length).toBeGreaterThanOrEqual(count), within);
const turnedAway = () => asked.filter(({ path, session: sent }) => path !== '/' && sent === undefined);

test('a session holds when its host moves to another machine, also one that the site has renewed', async () => {
  const { crawl } = await server.coordinator.create(job('one'));
  const first = await stage.farWorker(server, 'a');
  await askedAtLeast(8);
  await first.stop();
  const before = asked.length;
  await stage.farWorker(server, 'b');
  const { balance } = await crawl.ended;
  expect(balance).toMatchObject({ done: pages + 1, failed: 0 });
  expect(asked.length).toBeGreaterThan(before);
  expect(turnedAway()).toEqual([]);
  expect(new Set(asked.slice(before).map((one) => one.session))).toEqual(new Set(['second']));
});

test('a machine keeps its sessions over a restart of its worker and of the coordinator', async () => {
  const { crawl } = await server.coordinator.create(job('one'));
  const first = await stage.farWorker(server, 'a');
  await askedAtLeast(8);
  await first.stop();
  await crawl.leave();
  await server.stop();
  const before = asked.length;
  server = await stage.serverIn('data');
  const again = await server.coordinator.create(job('one'));
  await stage.farWorker(server, 'a');
  expect((await again.crawl.ended).balance).toMatchObject({ done: pages + 1, failed: 0 });
  expect(asked.length).toBeGreaterThan(before);
  expect(turnedAway()).toEqual([]);
});

test('another crawl of the same site has no part in the session', async () => {
  await server.coordinator.create(job('one'));
  await stage.farWorker(server, 'a');
  await askedAtLeast(8);
  const other = await server.coordinator.create(job('other', { seeds: [`${origin}/5`] }));
  await vi.waitFor(() => expect(asked.some(({ crawl }) => crawl === 'other')).toBe(true), within);
  expect(asked.filter(({ crawl }) => crawl === 'other').map((one) => one.session)).toEqual([undefined]);
  expect((await other.crawl.ended).balance.done).toBe(1);
});
