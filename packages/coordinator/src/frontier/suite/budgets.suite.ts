import type { CrawlId } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import {
  answered,
  collect,
  createWorld,
  crawlA,
  failure,
  type FrontierUnderTest,
  gapMs,
  outcome,
  worker,
} from './world.fixture.ts';

const ask = { worker, hosts: 10, urlsPerHost: 10 };
const pages = (host: string, count: number) => Array.from({ length: count }, (_, n) => `http://${host}/${n}`);

/** Ceilings of the crawl, budgets of hosts and sites. */
export function budgetRules(under: FrontierUnderTest): void {
  describe('limits', () => {
    it('never has more pages done than the ceiling, and grants more where some fail', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ limits: { pages: 3 } });
      await w.offerInTurn([...pages('a.test', 2), ...pages('b.test', 5), ...pages('c.test', 5)]);
      const first = await w.frontier.lease(ask);
      expect(first.leases.map((lease) => lease.entries.length)).toEqual([2, 1]);
      expect(first.limited).toEqual([{ crawl: 'a', by: 'pages' }]);
      expect(first.nextDueMs).toBeNull();
      const [a, b] = first.leases;
      await w.report(a!, {
        settled: [outcome(a!.entries[0]!), failure(a!.entries[1]!)],
        news: answered,
        close: true,
      });
      const second = await w.frontier.lease(ask);
      expect(second.leases.map((lease) => [lease.host, lease.entries.length])).toEqual([['c.test', 1]]);
      await w.finishLease(b!);
      await w.finishLease(second.leases[0]!);
      w.clock.advance(gapMs);
      const last = await w.frontier.lease(ask);
      expect(last).toMatchObject({ leases: [], limited: [{ crawl: 'a', by: 'pages' }], nextDueMs: null });
      expect(await w.balance()).toMatchObject({ done: 3, failed: 1, leased: 0, queued: 8 });
      // Raising the limit goes on.
      await w.openCrawl({ limits: { pages: 5 } });
      const more = await w.lease();
      expect(more.flatMap((lease) => lease.entries)).toHaveLength(2);
      await w.frontier.close();
    });

    it('names no ceiling of before for a crawl that was told to be limited', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ limits: { pages: 1 } });
      await w.offerInTurn(pages('a.test', 3));
      await w.finishLease(await w.leaseOne(1));
      expect(await w.frontier.limit(crawlA)).toBe('pages');
      await w.openCrawl({ limits: { pages: 3 } });
      await w.frontier.setState(crawlA, 'running');
      await w.frontier.setState(crawlA, 'limited');
      expect(await w.frontier.limit(crawlA)).toBeUndefined();
      await w.frontier.close();
    });

    it('ends at a ceiling in one step: not while a page may fail, nor while fewer are done', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ limits: { pages: 2 } });
      await w.offerInTurn([...pages('a.test', 1), ...pages('b.test', 1), ...pages('c.test', 2)]);
      expect(await w.frontier.limit(crawlA)).toBeUndefined();
      const [a, b] = await w.lease(2);
      expect(await w.frontier.lease(ask)).toMatchObject({ leases: [], limited: [{ by: 'pages' }] });
      expect(await w.frontier.limit(crawlA)).toBeUndefined();
      await w.report(a!, { settled: [failure(a!.entries[0]!)], news: answered, close: true });
      await w.finishLease(b!);
      expect(await w.frontier.limit(crawlA)).toBeUndefined();
      expect(await w.frontier.state(crawlA)).toBe('running');
      await w.finishLease(await w.leaseOne(1));
      expect(await w.frontier.limit(crawlA)).toBe('pages');
      expect(await w.frontier.state(crawlA)).toBe('limited');
      expect(await w.frontier.limit(crawlA)).toBe('pages');
      await w.openCrawl({ limits: { pages: 3 } });
      await w.frontier.setState(crawlA, 'running');
      w.clock.advance(gapMs);
      await w.finishLease(await w.leaseOne());
      expect(await w.frontier.limit(crawlA)).toBe('pages');
      await w.frontier.close();
    });

    it('does not end a crawl that was paused, whatever is done', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ limits: { bytes: 50 } });
      await w.offer(pages('a.test', 2));
      await w.finishLease(await w.leaseOne(1));
      await w.frontier.setState(crawlA, 'paused', 1);
      expect(await w.frontier.limit(crawlA)).toBeUndefined();
      expect(await w.frontier.state(crawlA)).toBe('paused');
      await w.frontier.setState(crawlA, 'running', 2);
      expect(await w.frontier.limit(crawlA)).toBe('bytes');
      await w.frontier.close();
    });

    it('counts only pages as pages, and bytes of everything', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ limits: { pages: 2, bytes: 1000 } });
      await w.offer(['http://a.test/map'], { kind: 'sitemap' });
      await w.offer(['http://a.test/c'], { kind: 'check' });
      await w.offer(pages('a.test', 1));
      const lease = await w.leaseOne();
      expect(lease.entries).toHaveLength(3);
      await w.finishLease(lease, { bytes: 300 });
      await w.offer(['http://b.test/c'], { kind: 'check' });
      await w.finishLease(await w.leaseOne(), { bytes: 100 });
      await w.offer(pages('c.test', 1));
      expect(await w.frontier.lease(ask)).toMatchObject({
        leases: [],
        limited: [{ crawl: 'a', by: 'bytes' }],
      });
      expect(await w.frontier.totals(crawlA)).toMatchObject({ bytes: 1000 });
      await w.frontier.close();
    });

    it('a ceiling of one crawl does not hold up another', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ limits: { pages: 0 } });
      const b = await w.openCrawl({ id: 'b' as CrawlId });
      await w.offer(pages('a.test', 1));
      await w.offer(pages('a.test', 1), {}, b);
      const answer = await w.frontier.lease(ask);
      expect(answer.leases.map((lease) => lease.crawl)).toEqual(['b']);
      await w.frontier.close();
    });

    it("grants no more than a host's budget and settles the rest of its queue", async () => {
      const w = await createWorld(under);
      await w.openCrawl({ limits: { hostPages: 2 } });
      await w.offer(pages('a.test', 700));
      await w.offer(['http://a.test/c'], { kind: 'check' });
      await w.offer(pages('b.test', 1));
      const leases = await w.lease();
      const lease = leases.find(({ host }) => host === 'a.test');
      expect(leases).toHaveLength(2);
      expect(lease?.entries).toHaveLength(2);
      await w.finishLease(lease!);
      w.clock.advance(gapMs);
      expect(await w.frontier.lease(ask)).toMatchObject({ leases: [], limited: [], nextDueMs: null });
      expect(await w.offer(['http://a.test/new', 'http://a.test/0', 'http://b.test/new'])).toEqual([
        'host-budget',
        'known',
        'accepted',
      ]);
      expect((await w.frontier.totals(crawlA)).dropped).toEqual({ 'host-budget': 1 });
      expect(await w.frontier.sweep()).toEqual({ expired: 0, settled: 500, more: true });
      expect(await w.frontier.sweep()).toEqual({ expired: 0, settled: 199, more: false });
      expect(await w.balance()).toMatchObject({ known: 703, refused: 699, done: 2, leased: 1, queued: 1 });
      const [record] = await collect(w.frontier.results.records(crawlA, { verdict: 'refused' }));
      expect(record).toMatchObject({ verdict: 'refused', reason: 'host-budget' });
      // A dropped URL was never known: with a larger budget it is new.
      await w.openCrawl({ limits: { hostPages: 3 } });
      expect(await w.offer(['http://a.test/new'])).toEqual(['accepted']);
      expect((await w.leaseOne()).entries).toMatchObject([{ url: 'http://a.test/new' }]);
      await w.frontier.close();
    });

    it('a host whose leased pages failed goes on', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ limits: { hostPages: 1 } });
      await w.offer(pages('a.test', 3));
      const lease = await w.leaseOne();
      expect(lease.entries).toHaveLength(1);
      await w.report(lease, { settled: [failure(lease.entries[0]!)], news: answered, close: true });
      w.clock.advance(gapMs);
      expect((await w.leaseOne()).entries).toMatchObject([{ url: 'http://a.test/1' }]);
      await w.frontier.close();
    });

    it('pages refused by their type use up no budget of pages: of the crawl, their host or their site', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ limits: { pages: 2, hostPages: 2, sitePages: 2 } });
      await w.offer([...pages('a.x.test', 9), ...pages('b.x.test', 1)]);
      for (let i = 0; i < 8; i++) {
        await w.finishLease(await w.leaseOne(1), { verdict: 'refused', reason: 'type', bytes: 0 });
        w.clock.advance(gapMs);
      }
      expect(await w.frontier.sweep()).toMatchObject({ settled: 0 });
      expect(await w.offer(['http://a.x.test/new'])).toEqual(['accepted']);
      // Two of the three that are left, and then no more.
      const last = await w.lease();
      expect(last.flatMap(({ entries }) => entries)).toHaveLength(2);
      for (const lease of last) await w.finishLease(lease);
      w.clock.advance(gapMs);
      await w.frontier.sweep();
      expect(await w.offer(['http://c.x.test/'])).toEqual(['site-budget']);
      expect(await w.frontier.totals(crawlA)).toMatchObject({ byReason: { type: 8, ok: 2 } });
      await w.frontier.close();
    });

    it('counts bytes of hosts and sites', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ limits: { hostBytes: 150, siteBytes: 250 } });
      await w.offer([...pages('a.x.test', 5), ...pages('b.x.test', 2), ...pages('c.x.test', 2)]);
      const lease = await w.leaseOne(2);
      await w.finishLease(lease);
      await w.frontier.sweep();
      expect(await w.balance()).toMatchObject({ done: 2, refused: 3 });
      await w.finishLease(await w.leaseOne(1));
      w.clock.advance(gapMs);
      expect(await w.lease()).toEqual([]);
      await w.frontier.sweep();
      const reasons = (await w.frontier.totals(crawlA)).byReason;
      expect(reasons).toEqual({ ok: 3, 'host-budget': 3, 'site-budget': 3 });
      await w.frontier.close();
    });

    it("shares a site's budget among its hosts", async () => {
      const w = await createWorld(under);
      await w.openCrawl({ limits: { sitePages: 3 } });
      await w.offerInTurn([
        ...pages('a.x.test', 2),
        ...pages('b.x.test', 2),
        ...pages('c.x.test', 2),
        ...pages('y.test', 1),
      ]);
      const leases = (await w.lease()).toSorted((a, b) => (a.host < b.host ? -1 : 1));
      expect(leases.map((lease) => [lease.host, lease.entries.length])).toEqual([
        ['a.x.test', 2],
        ['b.x.test', 1],
        ['y.test', 1],
      ]);
      expect(await w.frontier.lease(ask)).toMatchObject({ leases: [], nextDueMs: null, limited: [] });
      const [a, b] = leases;
      // One fails: its place goes to a host that was shut out meanwhile.
      await w.report(a!, {
        settled: [failure(a!.entries[0]!), outcome(a!.entries[1]!)],
        news: answered,
        close: true,
      });
      const [c] = await w.lease();
      expect([c?.host, c?.entries.length]).toEqual(['c.x.test', 1]);
      await w.finishLease(b!);
      await w.finishLease(c!);
      expect(await w.offer(['http://d.x.test/', 'http://y.test/9'])).toEqual(['site-budget', 'accepted']);
      expect(await w.frontier.sweep()).toEqual({ expired: 0, settled: 2, more: false });
      expect(await w.balance()).toMatchObject({ done: 3, failed: 1, refused: 2, queued: 1, leased: 1 });
      await w.frontier.close();
    });

    it('settles what a closed lease puts back on a spent site', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ limits: { sitePages: 1 } });
      await w.offer(pages('a.x.test', 1));
      await w.offer(['http://b.x.test/c'], { kind: 'check' });
      const [a, b] = await w.lease(1).then(async (first) => [...first, ...(await w.lease())]);
      expect(b).toBeUndefined();
      await w.finishLease(a!);
      await w.frontier.sweep();
      expect(await w.balance()).toMatchObject({ done: 1, refused: 1, queued: 0 });
      await w.frontier.close();
    });
  });
}
