import type { CrawlId, Url, WorkerId } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import {
  answered,
  createWorld,
  crawlA,
  type FrontierUnderTest,
  gapMs,
  host,
  offerOf,
  outcome,
  quiet,
  settings,
  worker,
} from './world.fixture.ts';

const heldMs = settings.leaseTtlMs + settings.maxFetchMs + gapMs;

/** Who may contact which host, and when. */
export function leaseRules(under: FrontierUnderTest): void {
  describe('leases and clocks', () => {
    it('gives a host to one worker at a time', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(['http://a.test/1', 'http://a.test/2', 'http://b.test/1']);
      const leases = await w.lease(10, 1);
      expect(leases.map((lease) => lease.host).sort()).toEqual(['a.test', 'b.test']);
      const later = await w.frontier.lease({ worker, hosts: 10, urlsPerHost: 1 });
      expect(later).toMatchObject({ leases: [], nextDueMs: heldMs });
      await w.frontier.close();
    });

    it('gives every lease an id of its own', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(Array.from({ length: 60 }, (_, n) => `http://h${n}.site${n % 3}.test/`));
      const first = await w.lease(60, 1);
      for (const lease of first) await w.report(lease, { close: true });
      const second = await w.lease(60, 1);
      expect(new Set([...first, ...second].map(({ id }) => id)).size).toBe(120);
      await w.frontier.close();
    });

    it('grants no more hosts and URLs than asked for', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer([1, 2, 3].flatMap((n) => [`http://h${n}.test/1`, `http://h${n}.test/2`]));
      const answer = await w.frontier.lease({ worker, hosts: 2, urlsPerHost: 1 });
      expect(answer.leases.map((lease) => lease.entries.length)).toEqual([1, 1]);
      expect(answer.nextDueMs).toBe(0);
      await w.frontier.close();
    });

    it('keeps the gap after the end of a request', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(['http://a.test/1', 'http://a.test/2']);
      const lease = await w.leaseOne(1);
      await w.report(lease, {
        settled: [outcome(lease.entries[0]!)],
        news: { ...answered, endedAgoMs: 300, gapMs: 5000, why: 'crawl-delay' },
        close: true,
      });
      expect(await w.frontier.waiting(crawlA, 5)).toEqual([
        {
          host: 'a.test',
          queued: 1,
          dueInMs: 4700,
          why: 'crawl-delay',
          dead: false,
          pages: 1,
          bytes: 100,
          troubles: 0,
        },
      ]);
      w.clock.advance(4699);
      expect(await w.frontier.lease({ worker, hosts: 1, urlsPerHost: 1 })).toMatchObject({
        leases: [],
        nextDueMs: 1,
      });
      w.clock.advance(1);
      expect((await w.leaseOne()).fence).toBeGreaterThan(lease.fence);
      await w.frontier.close();
    });

    it('a gap never shortens an earlier one, and a report without a request owes none', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(['http://a.test/1', 'http://a.test/2']);
      const lease = await w.leaseOne(2);
      await w.report(lease, { news: { ...answered, gapMs: 9000, why: 'retry-after' } });
      await w.report(lease, { settled: [outcome(lease.entries[0]!)], news: { ...answered, gapMs: 2000 } });
      await w.report(lease, { news: quiet, close: true });
      expect(await w.frontier.waiting(crawlA, 5)).toMatchObject([{ dueInMs: 9000, why: 'retry-after' }]);
      await w.frontier.close();
    });

    it('a lease closed without a request leaves the host due at once', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(['http://a.test/1']);
      await w.report(await w.leaseOne(), { close: true });
      expect((await w.leaseOne()).entries).toHaveLength(1);
      await w.frontier.close();
    });

    it('an expired lease gives its URLs back but the host stays held', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(['http://a.test/1', 'http://a.test/2']);
      const lease = await w.leaseOne(1);
      w.clock.advance(settings.leaseTtlMs - 1);
      expect(await w.frontier.sweep()).toMatchObject({ expired: 0 });
      w.clock.advance(1);
      expect(await w.frontier.sweep()).toEqual({ expired: 1, settled: 0, more: false });
      expect(await w.balance()).toMatchObject({ queued: 2, leased: 0 });
      expect(await w.frontier.waiting(crawlA, 1)).toMatchObject([
        { why: 'held', dueInMs: settings.maxFetchMs + gapMs },
      ]);
      w.clock.advance(settings.maxFetchMs + gapMs - 1);
      await w.frontier.sweep();
      expect(await w.lease()).toEqual([]);
      w.clock.advance(1);
      const next = await w.leaseOne();
      expect(next.fence).toBeGreaterThan(lease.fence);
      expect(next.entries).toMatchObject([{ url: 'http://a.test/1', attempt: 0 }]);
      await w.frontier.close();
    });

    it('grants an expired host again without any sweep', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(['http://a.test/1']);
      await w.leaseOne();
      w.clock.advance(heldMs);
      expect((await w.leaseOne()).entries).toHaveLength(1);
      expect(await w.balance()).toMatchObject({ leased: 1 });
      await w.frontier.close();
    });

    it('answers late and repeated reports and changes nothing', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(['http://a.test/1', 'http://a.test/2']);
      const lease = await w.leaseOne(1);
      w.clock.advance(settings.leaseTtlMs);
      const offers = [offerOf('http://b.test/')];
      const settled = [outcome(lease.entries[0]!, { offers, items: [1] })];
      const before = await w.balance();
      expect(await w.report(lease, { settled, news: answered, close: true })).toEqual({ ok: false });
      expect(await w.frontier.renew([lease])).toEqual([{ ok: false }]);
      expect(await w.balance()).toEqual(before);
      w.clock.advance(heldMs);
      await w.frontier.sweep();
      const next = await w.leaseOne(1);
      expect(next.entries[0]).toMatchObject({ url: 'http://a.test/1' });
      // The old fence on the same host and URL.
      expect(await w.report(lease, { settled, close: true })).toEqual({ ok: false });
      expect(await w.report(next, { settled, close: true })).toEqual({ ok: true, accepted: 1, known: 0 });
      expect(await w.report(next, { settled, close: true })).toEqual({ ok: false });
      expect(await w.balance()).toEqual({ known: 3, queued: 2, leased: 0, done: 1, failed: 0, refused: 0 });
      expect(await w.frontier.totals(crawlA)).toMatchObject({ items: 1 });
      await w.frontier.close();
    });

    it('settling twice within a lease changes nothing', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(['http://a.test/1', 'http://a.test/2']);
      const lease = await w.leaseOne();
      const settled = [outcome(lease.entries[0]!, { items: ['x'], offers: [offerOf('http://c.test/')] })];
      expect(await w.report(lease, { settled: [...settled, ...settled] })).toEqual({
        ok: true,
        accepted: 1,
        known: 0,
      });
      expect(await w.report(lease, { settled })).toEqual({ ok: true, accepted: 0, known: 0 });
      const foreign = [outcome({ ...lease.entries[0]!, ...offerOf('http://c.test/') })];
      expect(await w.report(lease, { settled: foreign })).toEqual({ ok: true, accepted: 0, known: 0 });
      expect(await w.balance()).toEqual({ known: 3, queued: 1, leased: 1, done: 1, failed: 0, refused: 0 });
      expect(await w.frontier.totals(crawlA)).toMatchObject({ items: 1, bytes: 100 });
      await w.frontier.close();
    });

    it('a renewed lease lasts, and holds its host accordingly', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(['http://a.test/1', 'http://a.test/2']);
      const lease = await w.leaseOne(1);
      w.clock.advance(settings.leaseTtlMs - 10);
      expect(await w.frontier.renew([lease])).toEqual([{ ok: true, ttlMs: settings.leaseTtlMs }]);
      w.clock.advance(settings.leaseTtlMs - 10);
      expect(await w.frontier.sweep()).toMatchObject({ expired: 0 });
      expect(await w.frontier.waiting(crawlA, 1)).toMatchObject([
        { why: 'held', dueInMs: heldMs - settings.leaseTtlMs + 10 },
      ]);
      expect(await w.report(lease, { settled: [outcome(lease.entries[0]!)], close: true })).toMatchObject({
        ok: true,
      });
      expect(await w.frontier.renew([lease])).toEqual([{ ok: false }]);
      await w.frontier.close();
    });

    it('leases a given host without URLs, by the same clocks', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(['http://a.test/1']);
      const ask = { worker: 'w2' as WorkerId, crawl: crawlA, host: host('a.test') };
      const first = await w.frontier.leaseHost(ask);
      if (!first.granted) throw new Error('not granted');
      expect(first.lease).toMatchObject({ host: 'a.test', entries: [], crawl: 'a' });
      expect(await w.lease()).toEqual([]);
      expect(await w.frontier.leaseHost(ask)).toEqual({ granted: false, retryAfterMs: heldMs });
      await w.report(first.lease, { news: answered, close: true });
      expect(await w.frontier.leaseHost(ask)).toEqual({ granted: false, retryAfterMs: gapMs });
      w.clock.advance(gapMs);
      const lease = await w.leaseOne();
      expect(lease.fence).toBeGreaterThan(first.lease.fence);
      expect(await w.frontier.leaseHost(ask)).toMatchObject({ granted: false });
      expect(await w.frontier.totals(crawlA)).toMatchObject({ hosts: 1 });
      await w.frontier.close();
    });

    it('crawls take turns on a host, and the larger gap counts for both', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      const b = await w.openCrawl({ id: 'b' as CrawlId, gapMs: 4000 });
      const urls = [1, 2, 3].map((n) => `http://a.test/${n}`);
      await w.offer(urls);
      await w.offer(urls, {}, b);
      const turns: string[] = [];
      for (let i = 0; i < 6; i++) {
        const lease = await w.leaseOne(1);
        turns.push(lease.crawl);
        await w.finishLease(lease);
        expect(await w.lease()).toEqual([]);
        w.clock.advance(gapMs);
        // Crawl a may go after its own gap; b asked for more and has the turn then.
        if (i % 2 === 0 && i < 5) expect((await w.frontier.waiting(b, 1))[0]?.dueInMs).toBe(3000);
        w.clock.advance(3000);
      }
      expect(turns).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
      await w.frontier.close();
    });

    it('teams take turns on a host, then the crawls of each', async () => {
      const w = await createWorld(under);
      const red = ['a', 'b', 'c'].map((id) => ({ id: id as CrawlId, team: 'red' }));
      const blue = [{ id: 'x' as CrawlId, team: 'blue' }];
      for (const crawl of [...red, ...blue]) {
        const id = await w.openCrawl({ ...crawl, gapMs: 0 });
        await w.offer(
          [1, 2, 3, 4].map((n) => `http://a.test/${n}`),
          {},
          id,
        );
        // Their order is that in which they came.
        w.clock.advance(1);
      }
      const turns: string[] = [];
      for (let i = 0; i < 10; i++) {
        const lease = await w.leaseOne(1);
        turns.push(lease.crawl);
        await w.finishLease(lease);
        w.clock.advance(gapMs);
      }
      // The rest is left to the team that still has something.
      expect(turns.join(' ')).toBe('a x b x c x a x b c');
      await w.frontier.close();
    });

    it('what ran out of one crawl is forgotten when another is given the host in the same moment', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ gapMs: 0 });
      const b = await w.openCrawl({ id: 'b' as CrawlId, gapMs: 0 });
      await w.offer(['http://a.test/1'], {}, b);
      await w.leaseOne();
      await w.offer(['http://a.test/1']);
      w.clock.advance(heldMs);
      const other = await w.leaseOne();
      expect(other.crawl).toBe('a');
      await w.report(other, { close: true });
      const own = await w.frontier.leaseHost({ worker, crawl: b, host: host('a.test') });
      if (!own.granted) throw new Error('not granted');
      expect(await w.frontier.look(b, 'http://a.test/1' as Url)).toMatchObject({ state: 'queued' });
      await w.report(own.lease, { close: true });
      expect(await w.balance(b)).toMatchObject({ known: 1, queued: 1, leased: 0 });
      await w.frontier.close();
    });

    it('serves hosts by due time, so none is abandoned', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(['http://a.test/1', 'http://a.test/2']);
      await w.finishLease(await w.leaseOne(1));
      w.clock.advance(gapMs + 1);
      // New hosts that come after a.test was due do not push it back.
      await w.offerInTurn(['http://b.test/1', 'http://c.test/1']);
      expect((await w.leaseOne(1)).host).toBe('a.test');
      expect((await w.leaseOne(1)).host).toBe('b.test');
      await w.frontier.close();
    });

    it('grants only to running crawls, but takes reports of all', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offerInTurn(['http://a.test/1', 'http://b.test/1']);
      const lease = await w.leaseOne();
      for (const state of ['paused', 'stopped', 'limited'] as const) {
        await w.frontier.setState(crawlA, state);
        expect(await w.frontier.lease({ worker, hosts: 5, urlsPerHost: 5 })).toEqual({
          leases: [],
          nextDueMs: null,
          limited: [],
        });
        const ask = { worker, crawl: crawlA, host: host('z.test') };
        expect(await w.frontier.leaseHost(ask)).toMatchObject({ granted: false });
      }
      await w.finishLease(lease);
      await w.frontier.setState(crawlA, 'running');
      expect((await w.leaseOne()).host).toBe('b.test');
      await w.frontier.close();
    });

    it('grants only URLs of the crawls that were asked for', async () => {
      const w = await createWorld(under);
      const a = await w.openCrawl();
      const b = await w.openCrawl({ id: 'b' as CrawlId });
      await w.offer(['http://a.test/1'], {}, a);
      await w.offer(['http://a.test/2', 'http://b.test/1'], {}, b);
      const ask = (crawls: CrawlId[]) => w.frontier.lease({ worker, hosts: 5, urlsPerHost: 5, crawls });
      const { leases, nextDueMs } = await ask([a]);
      expect(leases.map(({ crawl, host: name }) => [crawl, name])).toEqual([['a', 'a.test']]);
      expect(nextDueMs).toBeNull();
      expect((await ask([b])).leases.map(({ host: name }) => name)).toEqual(['b.test']);
      expect(await w.frontier.state(a)).toBe('running');
      await w.frontier.close();
    });

    it('hands out robots copies of the origins it leases', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(['http://a.test/1', 'https://a.test/2', 'http://a.test/3']);
      const copy = (origin: string) => ({
        origin,
        fetchedAtMs: 5,
        state: 'rules' as const,
        status: 200,
        body: 'x',
      });
      const lease = await w.leaseOne(1);
      expect(lease.robots).toEqual([]);
      await w.report(lease, { robots: [copy('http://a.test'), copy('http://c.test')], close: true });
      expect((await w.leaseOne()).robots).toEqual([copy('http://a.test')]);
      expect(await w.frontier.robots('http://c.test')).toEqual(copy('http://c.test'));
      expect(await w.frontier.robots('http://d.test')).toBeUndefined();
      await w.frontier.close();
    });

    it('takes offers that belong to no page', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(['http://a.test/1']);
      const lease = await w.leaseOne();
      const offers = [offerOf('http://a.test/map.xml', { kind: 'sitemap' }), offerOf('http://a.test/1')];
      expect(await w.report(lease, { offers, close: true })).toEqual({ ok: true, accepted: 1, known: 1 });
      await w.frontier.close();
    });
  });
}
