import type { Band, HostLease } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import { dropAll, retryAll } from '../all-steps.ts';
import {
  answered,
  createWorld,
  crawlA,
  failure,
  type FrontierUnderTest,
  host,
  offerOf,
  outcome,
  settings,
  url,
  type World,
} from './world.fixture.ts';

/** Offers `path` on a.test in the band that its first letter names: `1x` is band 1, `x` the first. */
async function offerAll(w: World, paths: string[], origin = 'http://a.test'): Promise<void> {
  const offers = paths.map((path) => {
    const band = Number.parseInt(path, 10) || 0;
    return offerOf(`${origin}/${path}`, band === 0 ? {} : { band: band as Band });
  });
  await w.frontier.offer(crawlA, offers);
}

const pathsOf = (lease: HostLease) => lease.entries.map(({ url: where }) => where.replace(/^.*\//, ''));

/** What jobs that ask for an order get: each host's queue by bands, in each by discovery. */
export function orderRules(under: FrontierUnderTest): void {
  describe('order', () => {
    it('serves the bands of a host one after the other, and each in the order of discovery', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await offerAll(w, ['7a', '2a', 'x', '1a', '2b', 'y', '1b']);
      await w.offer(['http://a.test/map.xml'], { kind: 'sitemap', band: 7 });
      const lease = await w.leaseOne();
      expect(pathsOf(lease)).toEqual(['map.xml', 'x', 'y', '1a', '1b', '2a', '2b', '7a']);
      expect(lease.entries.map(({ band }) => band)).toEqual([...Array(3), 1, 1, 2, 2, 7]);
      expect(await w.balance()).toMatchObject({ known: 8, leased: 8, queued: 0 });
      await w.frontier.close();
    });

    it('takes what was found since before what it has put off', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await offerAll(w, ['3a', '3b']);
      const first = await w.leaseOne(1);
      expect(pathsOf(first)).toEqual(['3a']);
      const offers = [offerOf('http://a.test/5a', { band: 5 }), offerOf('http://a.test/1a', { band: 1 })];
      await w.report(first, {
        settled: [outcome(first.entries[0]!, { offers })],
        news: answered,
        close: true,
      });
      w.clock.advance(settings.gapMs);
      expect(pathsOf(await w.leaseOne())).toEqual(['1a', '3b', '5a']);
      await w.frontier.close();
    });

    it('gives URLs back to their places when a lease is closed or expires', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await offerAll(w, ['2a', '1a', 'x', '2b']);
      const order = ['x', '1a', '2a', '2b'];
      const closed = await w.leaseOne(3);
      await w.report(closed, { close: true });
      expect(pathsOf(await w.leaseOne())).toEqual(order);
      w.clock.advance(settings.leaseTtlMs + settings.maxFetchMs + settings.gapMs);
      // The first one was in flight when the lease expired, so it is leased alone.
      expect(pathsOf(await w.leaseOne())).toEqual(['x']);
      await w.frontier.releaseAll();
      w.clock.advance(settings.gapMs);
      const alone = await w.leaseOne();
      await w.finishLease(alone);
      w.clock.advance(settings.gapMs);
      expect(pathsOf(await w.leaseOne())).toEqual(order.slice(1));
      await w.frontier.close();
    });

    it('puts a retry to the end of its band', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await offerAll(w, ['1a', '1b', '4a']);
      const lease = await w.leaseOne(1);
      const again = { kind: 'retry', url: url('http://a.test/1a'), reason: 'timeout' } as const;
      await w.report(lease, { settled: [again], close: true });
      expect(pathsOf(await w.leaseOne())).toEqual(['1b', '1a', '4a']);
      await w.frontier.close();
    });

    it('requeues settled URLs into their bands', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await offerAll(w, ['1a', '2a']);
      const lease = await w.leaseOne();
      await w.report(lease, { settled: lease.entries.map((entry) => failure(entry)), close: true });
      await offerAll(w, ['1b', '2b']);
      expect(await retryAll(w.frontier, crawlA, { verdict: 'failed' })).toBe(2);
      expect(pathsOf(await w.leaseOne())).toEqual(['1b', '1a', '2b', '2a']);
      await w.frontier.close();
    });

    it('spends the pages of a host on the best', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ limits: { hostPages: 2 } });
      await offerAll(w, ['6a', '2a', '1a']);
      const lease = await w.leaseOne();
      expect(pathsOf(lease)).toEqual(['1a', '2a']);
      await w.finishLease(lease);
      await w.frontier.sweep();
      expect(await w.balance()).toMatchObject({ done: 2, refused: 1, queued: 0 });
      expect(await w.frontier.look(crawlA, url('http://a.test/6a'))).toMatchObject({ state: 'settled' });
      await w.frontier.close();
    });

    it('serves a host whose URLs are all of the last band in its turn', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await offerAll(w, ['7a'], 'http://low.test');
      w.clock.advance(1);
      await offerAll(w, ['x', 'y']);
      expect((await w.lease(1)).map(({ host }) => host)).toEqual(['low.test']);
      await w.frontier.close();
    });

    it('says how many stand before a URL, and settles every band of a dead host', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ deadAfter: 1 });
      await offerAll(w, ['2a', '7a', 'x', '1a']);
      expect(await w.frontier.look(crawlA, url('http://a.test/2a'))).toMatchObject({
        state: 'queued',
        ahead: 2,
        entry: { band: 2 },
        host: { queued: 4 },
      });
      const lease = await w.leaseOne(1);
      await w.report(lease, { news: { ...answered, health: 'trouble' }, close: true });
      await w.frontier.sweep();
      expect(await w.balance()).toMatchObject({ failed: 4, queued: 0, leased: 0 });
      expect(await w.frontier.finish(crawlA)).toBe(true);
      await w.frontier.close();
    });

    it('finds and drops queued URLs of every band', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      const all = ['2a', '7a', 'x', '1a', '7b'];
      await offerAll(w, all);
      await offerAll(w, ['3a'], 'http://b.test');
      const found: string[] = [];
      for (let after: string | undefined = ''; after !== undefined; ) {
        const page = await w.frontier.urls(crawlA, { filter: { state: 'queued' }, after, limit: 2 });
        for (const known of page.urls) if ('entry' in known) found.push(known.entry.url);
        after = page.next;
      }
      const urls = [...all.map((path) => `http://a.test/${path}`), 'http://b.test/3a'];
      expect(found.toSorted()).toEqual(urls.toSorted());
      expect(await dropAll(w.frontier, crawlA, { filter: { host: host('a.test') }, reason: 'dropped' })).toBe(
        5,
      );
      expect(await w.balance()).toMatchObject({ queued: 1, refused: 5 });
      await w.frontier.close();
    });

    it('keeps the place of a URL that is asked for as more, until it was visited', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ upgrades: true });
      await offerAll(w, ['1a', '3a', '2a']);
      const wish = (band: Band) => [offerOf('http://a.test/3a', { label: 'more', band })];
      await w.frontier.offer(crawlA, wish(1));
      const lease = await w.leaseOne();
      expect(pathsOf(lease)).toEqual(['1a', '2a', '3a']);
      expect(lease.entries[2]).toMatchObject({ label: 'more', band: 3 });
      await w.frontier.close();
    });
  });
}
