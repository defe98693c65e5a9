import type { CrawlId, HostLease, WorkerId } from '@webfarer/protocol';
import { frameBounds, type Order, sendOrders } from '@webfarer/protocol/link';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  crawl,
  doneReport,
  frontierLink,
  linkCrawl,
  offer,
  openClient,
  openFrontier,
  openStation,
  temporaryFolder,
  url,
} from './link.fixture.ts';

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

test('a worker leases, reports and renews through a socket as it does in one process', async () => {
  const frontier = await openFrontier(':memory:');
  cleanups.push(() => frontier.close());
  await frontier.offer(crawl, [offer('http://a.test/'), offer('http://b.test/')]);
  const station = await openStation({ frontier, link: frontierLink(frontier) });
  cleanups.push(() => station.close());
  const client = openClient([station.url], folder);
  await client.start();
  const worker = 'w1' as WorkerId;
  const { leases } = await client.link.lease({ worker, hosts: 8, urlsPerHost: 10 });
  expect(leases.map(({ host }) => host).sort()).toEqual(['a.test', 'b.test']);
  expect((await client.link.renew(leases)).map(({ ok }) => ok)).toEqual([true, true]);
  const answers = await client.link.report(leases.map((lease) => doneReport(lease, {}, ['http://a.test/x'])));
  expect(answers).toEqual([
    { ok: true, accepted: 1, known: 0 },
    { ok: true, accepted: 0, known: 1 },
  ]);
  expect(await frontier.results.edgesOf(crawl, url('http://b.test/'))).toEqual([
    { to: 'http://a.test/x', rel: 'a' },
  ]);
  expect(await client.link.robots('http://a.test')).toBeUndefined();
  expect(station.server.workers()).toMatchObject([{ worker: 'w1', trust: 'own', held: 0 }]);
  await client.stop();
  expect(client.state()).toMatchObject({ connected: false, outbox: 0 });
});

test('a worker with more hands than fit a frame takes and renews its hosts in several', async () => {
  const frontier = await openFrontier(':memory:');
  cleanups.push(() => frontier.close());
  const hosts = 2_100;
  await frontier.offer(
    crawl,
    Array.from({ length: hosts }, (_, n) => offer(`http://h${n}.test/`)),
  );
  const station = await openStation({ frontier, link: frontierLink(frontier) });
  cleanups.push(() => station.close());
  const client = openClient([station.url], folder, { connections: hosts });
  cleanups.push(() => client.stop());
  await client.start();
  const held: HostLease[] = [];
  for (let asked = 0; asked < 3; asked++) {
    const request = { worker: 'w1' as WorkerId, hosts: hosts - held.length, urlsPerHost: 1 };
    held.push(...(await client.link.lease(request)).leases);
  }
  expect(new Set(held.map(({ host }) => host)).size).toBe(hosts);
  const renewed = await client.link.renew(held);
  expect(renewed.filter(({ ok }) => ok)).toHaveLength(hosts);
});

test('a worker connects to a coordinator with more crawls than a frame takes', async () => {
  const about = linkCrawl();
  const many = Array.from({ length: frameBounds.crawls + 500 }, (_, n) => ({
    ...about,
    id: `c${n}` as CrawlId,
  }));
  const frontier = await openFrontier(':memory:');
  cleanups.push(() => frontier.close());
  const station = await openStation({ frontier, link: frontierLink(frontier), crawls: () => many });
  cleanups.push(() => station.close());
  const toldOf = async (worker: string, asLeased: (() => CrawlId[]) | undefined) => {
    const told: Order[] = [];
    const orders = sendOrders((order) => void told.push(order));
    const client = openClient([station.url], folder, { worker: worker as WorkerId, asLeased, orders });
    await client.start();
    await client.stop();
    return told.filter(({ type }) => type.startsWith('crawl'));
  };
  expect(await toldOf('w1', () => ['c7' as CrawlId])).toMatchObject([
    { type: 'crawls', crawls: [{ id: 'c7' }] },
    { type: 'crawl-news', crawls: [], gone: [], resting: [], over: false },
  ]);
  const [all, ...more] = await toldOf('w2', undefined);
  expect((all as Extract<Order, { type: 'crawls' }>).crawls).toHaveLength(frameBounds.crawls);
  expect(more).toEqual([]);
});
