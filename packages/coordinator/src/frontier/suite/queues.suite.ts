import type { CrawlId } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import {
  answered,
  createWorld,
  failure,
  type FrontierUnderTest,
  offerOf,
  outcome,
  settings,
  url,
} from './world.fixture.ts';

/** What becomes of offers, and in which order they are handed out. */
export function queueRules(under: FrontierUnderTest): void {
  describe('offers and queues', () => {
    it('queues a URL once, also within one batch', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      expect(await w.offer(['http://a.test/1', 'http://a.test/2', 'http://a.test/1'])).toEqual([
        'accepted',
        'accepted',
        'known',
      ]);
      expect(await w.offer(['http://a.test/2', 'https://a.test/2', 'http://a.test:81/2'])).toEqual([
        'known',
        'accepted',
        'accepted',
      ]);
      expect(await w.balance()).toMatchObject({ known: 4, queued: 4 });
      await w.frontier.close();
    });

    it('hands out what was offered', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      const offers = [
        offerOf('https://a.test/x?y=1', { kind: 'check', depth: 3, cost: 1.5, label: 'shop', hops: 2 }),
        offerOf('http://a.test:8080/', { kind: 'requisite', depth: 40 }),
        offerOf('https://a.test/', { depth: 1 }),
      ];
      await w.frontier.offer('a' as CrawlId, offers);
      const lease = await w.leaseOne();
      expect(lease.entries).toEqual(offers.map((offer) => ({ ...offer, attempt: 0 })));
      expect(lease).toMatchObject({ crawl: 'a', host: 'a.test', ttlMs: settings.leaseTtlMs, robots: [] });
      await w.frontier.close();
    });

    it('keeps addresses and odd hosts apart', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offerInTurn([
        'http://[::1]:3000/a',
        'http://127.0.0.1/a',
        'http://127.0.0.1:81/b',
        'http://x/',
      ]);
      const leases = await w.lease();
      expect(leases.map((lease) => [lease.host, lease.entries.map((entry) => entry.url)])).toEqual([
        ['[::1]', ['http://[::1]:3000/a']],
        ['127.0.0.1', ['http://127.0.0.1/a', 'http://127.0.0.1:81/b']],
        ['x', ['http://x/']],
      ]);
      await w.frontier.close();
    });

    it('serves sitemaps first, then in the order of discovery', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(['http://a.test/1', 'http://a.test/2']);
      await w.offer(['http://a.test/map.xml'], { kind: 'sitemap' });
      await w.offer(['http://a.test/3']);
      const lease = await w.leaseOne(3);
      expect(lease.entries.map((entry) => entry.url)).toEqual([
        'http://a.test/map.xml',
        'http://a.test/1',
        'http://a.test/2',
      ]);
      await w.frontier.close();
    });

    it('puts unsettled entries of a closed lease back to the front, uncharged', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(['http://a.test/1', 'http://a.test/2', 'http://a.test/3', 'http://a.test/4']);
      const lease = await w.leaseOne(3);
      await w.report(lease, { settled: [outcome(lease.entries[1]!)], close: true });
      expect(await w.balance()).toMatchObject({ queued: 3, leased: 0, done: 1 });
      const next = await w.leaseOne();
      expect(next.entries.map((entry) => [entry.url, entry.attempt])).toEqual([
        ['http://a.test/1', 0],
        ['http://a.test/3', 0],
        ['http://a.test/4', 0],
      ]);
      await w.frontier.close();
    });

    it('puts a retry to the end with one try charged', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(['http://a.test/1', 'http://a.test/2', 'http://a.test/3']);
      const lease = await w.leaseOne(1);
      const again = { kind: 'retry', url: url('http://a.test/1'), reason: 'timeout' } as const;
      await w.report(lease, { settled: [again], close: true });
      // A second time in the same place: the tries add up.
      const next = await w.leaseOne(3);
      expect(next.entries.map((entry) => [entry.url, entry.attempt])).toEqual([
        ['http://a.test/2', 0],
        ['http://a.test/3', 0],
        ['http://a.test/1', 1],
      ]);
      await w.report(next, { settled: [again], close: true });
      const last = await w.leaseOne(3);
      expect(last.entries.at(-1)).toMatchObject({ url: 'http://a.test/1', attempt: 2 });
      await w.frontier.close();
    });

    it('names the page a URL was first found on', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(['http://a.test/']);
      const seed = await w.leaseOne();
      expect(seed.entries[0]).not.toHaveProperty('referrer');
      const offers = [offerOf('http://b.test/x', { depth: 1 })];
      await w.report(seed, { settled: [outcome(seed.entries[0]!, { offers })], close: true });
      const found = await w.leaseOne();
      expect(found.entries[0]).toMatchObject({
        url: 'http://b.test/x',
        referrer: 'http://a.test/',
        depth: 1,
      });
      await w.frontier.close();
    });

    it('keeps crawls apart that know the same URLs', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      const b = await w.openCrawl({ id: 'b' as CrawlId });
      expect(await w.offer(['http://a.test/'])).toEqual(['accepted']);
      expect(await w.offer(['http://a.test/'], {}, b)).toEqual(['accepted']);
      expect(await w.balance(b)).toMatchObject({ known: 1 });
      await w.frontier.close();
    });

    it('refuses an unknown crawl and nothing else of the same moment', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      const wrong = w.offer(['http://a.test/'], {}, 'nobody' as CrawlId);
      const right = w.offer(['http://a.test/']);
      await expect(wrong).rejects.toMatchObject({ code: 'not-found' });
      expect(await right).toEqual(['accepted']);
      await w.frontier.close();
    });

    it('a settled URL stays settled', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(['http://a.test/1', 'http://a.test/2']);
      const lease = await w.leaseOne();
      await w.report(lease, {
        settled: [outcome(lease.entries[0]!), failure(lease.entries[1]!)],
        news: answered,
        close: true,
      });
      expect(await w.offer(['http://a.test/1', 'http://a.test/2'])).toEqual(['known', 'known']);
      expect(await w.balance()).toEqual({ known: 2, queued: 0, leased: 0, done: 1, failed: 1, refused: 0 });
      w.clock.advance(1e6);
      expect(await w.lease()).toEqual([]);
      await w.frontier.close();
    });
  });
}
