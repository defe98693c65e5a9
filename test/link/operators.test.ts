import type { WorkerId } from '@webfarer/protocol';
import type { ResourceFrame } from '@webfarer/protocol/resources';
import { sendOrders } from '@webfarer/protocol/link';
import { noRules } from '@webfarer/coordinator';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  crawl,
  frontierLink,
  offer,
  openClient,
  openFrontier,
  openStation,
  temporaryFolder,
  until,
} from './link.fixture.ts';

/** What operators see of a worker over the link, and what they can have it do. */

const cleanups: (() => Promise<unknown>)[] = [];
let folder = '';
beforeEach(async () => {
  const temporary = await temporaryFolder();
  folder = temporary.folder;
  cleanups.push(temporary.remove);
});
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const request = { worker: 'w1' as WorkerId, hosts: 8, urlsPerHost: 10 };

async function hosts(...names: string[]) {
  const frontier = await openFrontier(':memory:');
  cleanups.push(() => frontier.close());
  await frontier.offer(
    crawl,
    names.map((name) => offer(`http://${name}.test/`)),
  );
  return { frontier, link: frontierLink(frontier) };
}

test('a worker finds its network when the coordinator it was started with is gone', async () => {
  const { frontier, link } = await hosts();
  const other = await openStation({ frontier, link, id: 'c2' });
  cleanups.push(() => other.close());
  const peers = () => [{ id: 'c2', url: other.url }];
  const first = await openStation({ frontier, link, id: 'c1', peers });
  const before = openClient([first.url], folder);
  await before.start();
  expect(before.state().coordinator).toBe('c1');
  await before.stop();
  await first.close();

  const after = openClient([first.url], folder);
  cleanups.push(() => after.stop());
  await after.start();
  expect(after.state()).toMatchObject({ connected: true, coordinator: 'c2', url: other.url });
});

test('a cordoned worker keeps and renews what it has, and is given nothing new until it is let go', async () => {
  const { frontier, link } = await hosts('a', 'b');
  let cordoned = false;
  const station = await openStation({
    frontier,
    link,
    rules: { ...noRules, isCordoned: (worker) => cordoned && worker === 'w1' },
  });
  cleanups.push(() => station.close());
  const client = openClient([station.url], folder);
  cleanups.push(() => client.stop());
  await client.start();
  const { leases } = await client.link.lease({ ...request, hosts: 1 });
  expect(leases).toHaveLength(1);
  cordoned = true;
  expect(await client.link.lease(request)).toEqual({ leases: [], nextDueMs: null });
  expect(await client.link.renew(leases)).toMatchObject([{ ok: true }]);
  expect(station.server.workers()).toMatchObject([{ worker: 'w1', held: 1, hungry: false, cordoned: true }]);
  cordoned = false;
  station.server.tell(request.worker, { type: 'wake' });
  await until(
    'it is given the other host',
    async () => (await client.link.lease(request)).leases.length === 1,
  );
});

test('a worker that is to drain is told so wherever it connects', async () => {
  const { frontier, link } = await hosts();
  const rules = { ...noRules, isDraining: () => true };
  const station = await openStation({ frontier, link, rules });
  cleanups.push(() => station.close());
  const told: string[] = [];
  const client = openClient([station.url], folder, {
    orders: sendOrders(({ type }) => void told.push(type)),
  });
  cleanups.push(() => client.stop());
  await client.start();
  await until('the order arrives', () => told.includes('drain'));
});

test('a cordoned coordinator takes no worker, and says why', async () => {
  const { frontier, link } = await hosts();
  const open = await openStation({ frontier, link, id: 'open' });
  cleanups.push(() => open.close());
  const rules = { ...noRules, closed: () => 'the coordinator is cordoned and takes no workers' };
  const closed = await openStation({ frontier, link, rules, id: 'closed' });
  cleanups.push(() => closed.close());
  const refused: string[] = [];
  closed.events.listen(['worker-refused'], ({ reason }) => void refused.push(reason));
  const client = openClient([closed.url, open.url], folder);
  cleanups.push(() => client.stop());
  await client.start();
  expect(client.state().coordinator).toBe('open');
  expect(refused.every((reason) => reason === 'the coordinator is cordoned and takes no workers')).toBe(true);
});

const frame: ResourceFrame = {
  cpu: { cores: [0.5, 0.25], process: 0.7 },
  memory: { totalBytes: 8e9, availableBytes: 4e9, rssBytes: 2e8, heapBytes: 1e8, heapLimitBytes: 2e9 },
  disks: [{ folder: '/data', totalBytes: 1e12, freeBytes: 5e11 }],
  network: { receivedBytesPerSecond: 1_000, sentBytesPerSecond: 10 },
  connections: 12,
  loop: { busy: 0.3, delayMs: 1.5, maxMs: 20 },
  downloads: { now: 3, most: 100 },
  queues: { outbox: 0, held: 8 },
};

test('a worker sends what its machine uses to a coordinator that asks for it, and to no other', async () => {
  const { frontier, link } = await hosts();
  const heard: [string, ResourceFrame][] = [];
  const asking = await openStation({
    frontier,
    link,
    resources: { everyMs: 1_000, heard: (worker, one) => void heard.push([worker, one]) },
  });
  cleanups.push(() => asking.close());
  const client = openClient([asking.url], folder);
  cleanups.push(() => client.stop());
  await client.start();
  expect(client.resourcesEveryMs()).toBe(1_000);
  client.tellResources(frame);
  await until('the frame arrives', () => heard.length > 0);
  expect(heard).toEqual([['w1', frame]]);

  const old = await openStation({ frontier, link });
  cleanups.push(() => old.close());
  const other = openClient([old.url], `${folder}/other`, { worker: 'w2' as WorkerId, outboxFile: undefined });
  cleanups.push(() => other.stop());
  await other.start();
  expect(other.resourcesEveryMs()).toBeUndefined();
  other.tellResources(frame);
  await other.link.robots('http://a.test');
  expect(heard).toHaveLength(1);
});

test('a worker is told which of the crawls it keeps were deleted: when it connects, and whenever one is', async () => {
  const { frontier, link } = await hosts();
  const deletedAmong = async (nonces: readonly string[]) => nonces.filter((nonce) => nonce === 'gone');
  const station = await openStation({ frontier, link, deletedAmong });
  cleanups.push(() => station.close());
  const told: string[][] = [];
  const orders = {
    ...sendOrders(() => undefined),
    deleted: (nonces: readonly string[]) => void told.push([...nonces]),
  };
  const client = openClient([station.url], folder, { orders, keeps: () => ['kept', 'gone'] });
  cleanups.push(() => client.stop());
  await client.start();
  await until('word of what was deleted before', () => told.length === 1);
  expect([...station.server.keeps()]).toEqual(['kept', 'gone']);
  station.server.tellAll({ type: 'deleted', nonces: ['kept'] });
  await until('word of another deletion', () => told.length === 2);
  expect(told).toEqual([['gone'], ['kept']]);
});
