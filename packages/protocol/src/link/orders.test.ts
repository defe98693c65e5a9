import { expect, it } from 'vitest';
import type { CrawlId } from '../base/brands.ts';
import { readCoordinatorFrame } from './frame-schemas.ts';
import { obey, type Order, type Orders, sendOrders } from './orders.ts';

const crawl = 'c' as CrawlId;

/** What orders were given, by name and argument. */
function recorder(): { orders: Orders; given: unknown[] } {
  const given: unknown[] = [];
  const note = (name: string) => (what?: unknown) => void given.push([name, what]);
  return {
    given,
    orders: {
      wake: note('wake'),
      release: note('release'),
      releaseHosts: note('releaseHosts'),
      water: note('water'),
      crawls: note('crawls'),
      crawlNews: note('crawlNews'),
      deleted: note('deleted'),
      peers: note('peers'),
      switch: note('switch'),
      drain: note('drain'),
    },
  };
}

it('every order arrives as it was given, through a frame that the schema accepts', () => {
  const { orders, given } = recorder();
  const sent = sendOrders((order) => obey(readCoordinatorFrame(JSON.stringify(order)) as Order, orders));
  const peers = [{ id: 'p', url: 'http://10.0.0.5:7311' }];
  sent.wake();
  sent.release(crawl);
  sent.release(undefined);
  sent.releaseHosts(['*.a.example', 'b.example']);
  sent.water(3);
  sent.crawls([]);
  sent.crawlNews({ crawls: [], gone: [crawl], resting: ['d' as CrawlId], over: false });
  sent.deleted(['n1']);
  sent.peers(peers);
  sent.switch('http://10.0.0.6:7311');
  sent.switch(undefined);
  sent.drain({ now: true });
  expect(given).toEqual([
    ['wake', undefined],
    ['release', crawl],
    ['release', undefined],
    ['releaseHosts', ['*.a.example', 'b.example']],
    ['water', 3],
    ['crawls', []],
    ['crawlNews', { crawls: [], gone: [crawl], resting: ['d'], over: false }],
    ['deleted', ['n1']],
    ['peers', peers],
    ['switch', 'http://10.0.0.6:7311'],
    ['switch', undefined],
    ['drain', { now: true }],
  ]);
});
