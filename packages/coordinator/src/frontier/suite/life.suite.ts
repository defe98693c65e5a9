import type { WorkerId } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import { retryAll } from '../all-steps.ts';
import {
  answered,
  collect,
  createWorld,
  crawlA,
  failure,
  type FrontierUnderTest,
  gapMs,
  host,
  offerOf,
  outcome,
  settings,
  url,
} from './world.fixture.ts';

/** How a crawl ends, restarts and is asked about. */
export function lifeRules(under: FrontierUnderTest): void {
  describe('life of a crawl', () => {
    it('finishes only when it is seeded and nothing is queued or leased', async () => {
      const w = await createWorld(under);
      await w.frontier.openCrawl(settings);
      expect(await w.frontier.finish(crawlA)).toBe(false);
      const seeds = [offerOf('http://a.test/1'), offerOf('http://a.test/2')];
      expect(await w.frontier.seed(crawlA, seeds.slice(0, 1), { last: false })).toEqual(['accepted']);
      await w.finishLease(await w.leaseOne());
      // The first seed is done, but another one is to come.
      expect(await w.frontier.finish(crawlA)).toBe(false);
      expect(await w.frontier.seed(crawlA, seeds, { last: true })).toEqual(['known', 'accepted']);
      expect(await w.frontier.finish(crawlA)).toBe(false);
      w.clock.advance(gapMs);
      const lease = await w.leaseOne();
      expect(await w.frontier.finish(crawlA)).toBe(false);
      await w.finishLease(lease);
      expect(await w.frontier.finish(crawlA)).toBe(true);
      expect((await w.frontier.totals(crawlA)).state).toBe('finished');
      expect(await w.frontier.finish(crawlA)).toBe(true);
      await w.frontier.close();
    });

    it('runs again when a finished crawl is given work', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.frontier.finish(crawlA);
      await w.offer(['http://a.test/1']);
      expect((await w.frontier.totals(crawlA)).state).toBe('running');
      await w.frontier.close();
    });

    it('opening a known crawl changes its settings and leaves its state', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.frontier.setState(crawlA, 'paused');
      await w.openCrawl({ leaseTtlMs: 7 });
      expect((await w.frontier.totals(crawlA)).state).toBe('paused');
      await w.frontier.setState(crawlA, 'running');
      await w.offer(['http://a.test/1']);
      expect((await w.leaseOne()).ttlMs).toBe(7);
      await w.frontier.close();
    });

    it('keeps how long a crawl has run, at least what its process knows', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      expect(await w.frontier.keepTime(crawlA, { sinceMs: 4_000, atLeastMs: 4_000 })).toBe(4_000);
      w.clock.advance(60_000);
      expect(await w.frontier.keepTime(crawlA, { sinceMs: 5_000, atLeastMs: 5_000 })).toBe(9_000);
      await w.openCrawl({ leaseTtlMs: 7 });
      w.clock.advance(1_000);
      // Another process that knows of none of it.
      expect(await w.frontier.keepTime(crawlA, { sinceMs: 1_000, atLeastMs: 1_000 })).toBe(10_000);
      await w.frontier.close();
    });

    it('obeys the last wish, and no older one that comes after it', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      expect(await w.frontier.setState(crawlA, 'paused', 3)).toBe('paused');
      expect(await w.frontier.setState(crawlA, 'running', 5)).toBe('running');
      expect(await w.frontier.setState(crawlA, 'stopped', 4)).toBe('running');
      expect((await w.frontier.totals(crawlA)).state).toBe('running');
      // What is nobody's wish is not late, and says nothing of wishes.
      expect(await w.frontier.setState(crawlA, 'limited')).toBe('limited');
      expect(await w.frontier.setState(crawlA, 'running', 4)).toBe('limited');
      expect(await w.frontier.setState(crawlA, 'running', 5)).toBe('running');
      await w.frontier.close();
    });

    it('keeps its settings where older ones come after them', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ leaseTtlMs: 7, edit: 2 });
      await w.openCrawl({ leaseTtlMs: 9, edit: 1 });
      await w.offer(['http://a.test/1', 'http://b.test/1']);
      expect((await w.leaseOne()).ttlMs).toBe(7);
      await w.openCrawl({ leaseTtlMs: 8, edit: 2 });
      expect((await w.leaseOne()).ttlMs).toBe(8);
      await w.frontier.close();
    });

    it('releases all leases and holds at once, for one gap', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offerInTurn(['http://a.test/1', 'http://b.test/1', 'http://c.test/1']);
      const [a, b] = await w.lease(2);
      w.clock.advance(settings.leaseTtlMs);
      await w.frontier.sweep();
      const [c] = await w.lease();
      expect([a?.host, b?.host, c?.host]).toEqual(['a.test', 'b.test', 'c.test']);
      expect(await w.frontier.releaseAll()).toBe(1);
      expect(await w.balance()).toMatchObject({ queued: 3, leased: 0 });
      expect(await w.report(c!, { close: true })).toEqual({ ok: false });
      const waits = await w.frontier.waiting(crawlA, 9);
      expect(waits.map((wait) => [wait.dueInMs, wait.why])).toEqual([
        [gapMs, 'gap'],
        [gapMs, 'gap'],
        [gapMs, 'gap'],
      ]);
      expect(await w.lease()).toEqual([]);
      w.clock.advance(gapMs);
      expect(await w.lease()).toHaveLength(3);
      await w.frontier.close();
    });

    it('waits for seeds that were cut off, and for those alone', async () => {
      const w = await createWorld(under);
      await w.frontier.openCrawl(settings);
      await w.frontier.seed(crawlA, [offerOf('http://a.test/1')], { last: false });
      await w.finishLease(await w.leaseOne());
      // The process that offered it is dead; the one that comes next knows nothing of where it stopped.
      await w.frontier.releaseAll();
      await w.frontier.openCrawl(settings);
      expect(await w.frontier.finish(crawlA)).toBe(false);
      await w.frontier.seed(crawlA, [offerOf('http://a.test/1')], { last: true });
      expect(await w.frontier.finish(crawlA)).toBe(true);
      // Seeded once is seeded for ever: nobody waits for a process that began to offer the same seeds again and died.
      await w.frontier.seed(crawlA, [offerOf('http://a.test/1')], { last: false });
      expect(await w.frontier.finish(crawlA)).toBe(true);
      expect((await w.frontier.totals(crawlA)).state).toBe('finished');
      await w.frontier.close();
    });

    it('releases the leases of one dead worker and leaves those of others', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(['http://a.test/1', 'http://b.test/1']);
      const dead = 'w2' as WorkerId;
      const [a] = await w.lease(1);
      const { leases } = await w.frontier.lease({ worker: dead, hosts: 1, urlsPerHost: 1 });
      expect(await w.frontier.releaseAll(dead)).toBe(1);
      expect(await w.frontier.releaseAll(dead)).toBe(0);
      expect(await w.balance()).toMatchObject({ queued: 1, leased: 1 });
      expect(await w.report(leases[0]!, { close: true })).toEqual({ ok: false });
      await w.finishLease(a!);
      await w.frontier.close();
    });

    it('retries settled URLs with fresh tries, and their records go', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offerInTurn(['http://a.test/1', 'http://a.test/2', 'http://b.test/1', 'http://b.test/2']);
      const again = { kind: 'retry', url: url('http://a.test/2'), reason: 'timeout' } as const;
      const [a, b] = await w.lease();
      await w.report(a!, { settled: [outcome(a!.entries[0]!), again], news: answered, close: true });
      await w.report(b!, {
        settled: [
          failure(b!.entries[0]!, { status: 503, reason: 'http-5xx' }),
          outcome(b!.entries[1]!, {
            record: { status: 404, reason: 'http-4xx', bytes: 9 },
            items: [1, 2],
            edges: [{ to: url('http://a.test/'), rel: 'a' }],
          }),
        ],
        news: answered,
        close: true,
      });
      w.clock.advance(gapMs);
      const retried = await w.leaseOne();
      expect(retried.entries).toMatchObject([{ attempt: 1 }]);
      await w.report(retried, { settled: [failure(retried.entries[0]!)], news: answered, close: true });
      expect(await w.frontier.finish(crawlA)).toBe(true);

      expect(await retryAll(w.frontier, crawlA, { reason: 'robots' })).toBe(0);
      expect(await retryAll(w.frontier, crawlA, { status: '5xx', host: host('a.test') })).toBe(0);
      expect(await retryAll(w.frontier, crawlA, { status: '5xx' })).toBe(1);
      expect(await retryAll(w.frontier, crawlA, { status: '404' })).toBe(1);
      expect(await retryAll(w.frontier, crawlA, { verdict: 'failed' })).toBe(1);
      expect(await w.balance()).toEqual({ known: 4, queued: 3, leased: 0, done: 1, failed: 0, refused: 0 });
      expect(await w.frontier.totals(crawlA)).toEqual({
        state: 'running',
        bytes: 100,
        items: 0,
        edges: 0,
        hosts: 2,
        hostsQueued: 2,
        byReason: { ok: 1 },
        byStatus: { '200': 1 },
        dropped: {},
      });
      expect(await collect(w.frontier.results.records(crawlA))).toHaveLength(1);
      expect(await collect(w.frontier.results.items(crawlA))).toEqual([]);
      w.clock.advance(gapMs);
      const leases = await w.lease();
      const entries = leases.flatMap((lease) => lease.entries);
      expect(entries.map((entry) => entry.attempt)).toEqual([0, 0, 0]);
      await w.frontier.close();
    });

    it('a retry revives dead hosts', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ deadAfter: 1 });
      await w.offer(['http://a.test/1']);
      const news = { ...answered, health: 'trouble', reason: 'timeout' } as const;
      await w.report(await w.leaseOne(), { news, close: true });
      await w.frontier.sweep();
      expect(await retryAll(w.frontier, crawlA, { reason: 'host-dead' })).toBe(1);
      w.clock.advance(settings.backoffMs);
      expect((await w.leaseOne()).entries).toHaveLength(1);
      expect(await w.frontier.sweep()).toMatchObject({ settled: 0 });
      await w.frontier.close();
    });

    it('tells the story of one URL', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(['http://a.test/1', 'http://a.test/2', 'http://a.test/3']);
      await w.offer(['http://a.test/m'], { kind: 'sitemap' });
      const look = (text: string) => w.frontier.look(crawlA, url(text));
      expect(await look('http://a.test/4')).toBeUndefined();
      expect(await look('http://a.test/3')).toMatchObject({
        state: 'queued',
        entry: { url: 'http://a.test/3', attempt: 0 },
        host: { host: 'a.test', queued: 4, dueInMs: 0, dead: false },
        ahead: 3,
      });
      const lease = await w.leaseOne(2);
      w.clock.advance(250);
      expect(await look('http://a.test/1')).toMatchObject({ state: 'leased', worker: 'w1', forMs: 250 });
      expect(await look('http://a.test/3')).toMatchObject({
        state: 'queued',
        ahead: 1,
        host: { why: 'held' },
      });
      await w.finishLease(lease);
      expect(await look('http://a.test/1')).toMatchObject({
        state: 'settled',
        record: { verdict: 'done', reason: 'ok' },
      });
      expect(await look('http://a.test/3')).toMatchObject({ ahead: 1, host: { why: 'gap', dueInMs: gapMs } });
      await w.frontier.close();
    });

    it('counts hosts that have work', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offerInTurn(['http://a.test/1', 'http://a.test/2', 'http://b.test/1']);
      expect(await w.frontier.totals(crawlA)).toMatchObject({ hosts: 2, hostsQueued: 2 });
      const leases = await w.lease(2, 1);
      expect(await w.frontier.totals(crawlA)).toMatchObject({ hosts: 2, hostsQueued: 1 });
      await w.report(leases[1]!, { close: true });
      expect(await w.frontier.totals(crawlA)).toMatchObject({ hosts: 2, hostsQueued: 2 });
      await w.frontier.close();
    });
  });
}
