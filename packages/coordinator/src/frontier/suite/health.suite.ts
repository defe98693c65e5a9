import type { HostNews } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import {
  answered,
  collect,
  createWorld,
  crawlA,
  failure,
  type FrontierUnderTest,
  gapMs,
  host,
  outcome,
  settings,
  type World,
} from './world.fixture.ts';

const trouble: HostNews = { endedAgoMs: 0, gapMs, why: 'gap', health: 'trouble', reason: 'connect-refused' };

async function troubled(w: World, news: HostNews = trouble): Promise<void> {
  const lease = await w.leaseOne(1);
  await w.report(lease, { news, close: true });
}

/** Back-off works on the host, and a host that never answers is given up. */
export function healthRules(under: FrontierUnderTest): void {
  describe('host health', () => {
    it('backs off twice as long each round, and forgets after an answer', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ deadAfter: 99 });
      await w.offer(['http://a.test/1']);
      for (const expected of [10_000, 20_000, 40_000, 80_000]) {
        await troubled(w);
        expect(await w.frontier.waiting(crawlA, 1)).toMatchObject([{ dueInMs: expected, why: 'backoff' }]);
        w.clock.advance(expected);
      }
      await troubled(w, { ...answered, health: 'wait', why: 'robots' });
      expect(await w.frontier.waiting(crawlA, 1)).toMatchObject([{ dueInMs: gapMs, why: 'robots' }]);
      w.clock.advance(gapMs);
      await troubled(w, answered);
      w.clock.advance(gapMs);
      await troubled(w);
      expect(await w.frontier.waiting(crawlA, 1)).toMatchObject([{ dueInMs: 10_000 }]);
      await w.frontier.close();
    });

    it('counts pages, bytes and troubles of each host, and answers for all hosts that it knows', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ deadAfter: 99 });
      await w.offer(['http://a.test/1', 'http://a.test/2', 'http://a.test/3', 'http://a.test/4']);
      const lease = await w.leaseOne(2);
      const [first, second] = lease.entries;
      const settled = [outcome(first!, { record: { bytes: 250 } }), failure(second!, { bytes: 30 })];
      await w.report(lease, { settled, news: answered, close: true });
      w.clock.advance(gapMs);
      await troubled(w);
      const sums = { pages: 1, bytes: 280, troubles: 1 };
      expect(await w.frontier.waiting(crawlA, 1)).toMatchObject([{ host: 'a.test', queued: 2, ...sums }]);
      // Its queue is empty: the list of hosts that wait does not have it any more.
      w.clock.advance(10_000);
      await w.finishLease(await w.leaseOne());
      expect(await w.frontier.waiting(crawlA, 1)).toEqual([]);
      const asked = [host('a.test'), host('unknown.test'), host('a.test')];
      expect(await w.frontier.hostSums(crawlA, asked)).toEqual(
        new Map([['a.test', { pages: 3, bytes: 480, troubles: 0 }]]),
      );
      expect(await w.frontier.hostSums(crawlA, [])).toEqual(new Map());
      await w.frontier.close();
    });

    it('never backs off for more than an hour', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ deadAfter: 99 });
      await w.offer(['http://a.test/1']);
      for (let i = 0; i < 15; i++) {
        await troubled(w);
        const [wait] = await w.frontier.waiting(crawlA, 1);
        expect(wait?.dueInMs).toBeLessThanOrEqual(3_600_000);
        w.clock.advance(wait?.dueInMs ?? 0);
      }
      await troubled(w);
      expect(await w.frontier.waiting(crawlA, 1)).toMatchObject([{ dueInMs: 3_600_000 }]);
      await w.frontier.close();
    });

    it('settles the queue of a dead host in steps of 500', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(Array.from({ length: 1200 }, (_, n) => `http://a.test/${n}`));
      for (let round = 1; round <= settings.deadAfter; round++) {
        await troubled(w);
        w.clock.advance(3_600_000);
      }
      expect(await w.lease()).toEqual([]);
      expect(await w.frontier.waiting(crawlA, 5)).toEqual([]);
      expect(await w.frontier.sweep()).toEqual({ expired: 0, settled: 500, more: true });
      expect(await w.frontier.sweep()).toEqual({ expired: 0, settled: 500, more: true });
      expect(await w.balance()).toMatchObject({ queued: 200, failed: 1000 });
      expect(await w.frontier.finish(crawlA)).toBe(false);
      expect(await w.frontier.sweep()).toEqual({ expired: 0, settled: 200, more: false });
      expect(await w.frontier.sweep()).toEqual({ expired: 0, settled: 0, more: false });
      const [record] = await collect(w.frontier.results.records(crawlA));
      expect(record).toMatchObject({
        url: 'http://a.test/0',
        verdict: 'failed',
        reason: 'host-dead',
        detail: expect.stringContaining('connect-refused'),
        attempts: 0,
        bytes: 0,
      });
      expect((await w.frontier.totals(crawlA)).byReason).toEqual({ 'host-dead': 1200 });
      expect(await w.frontier.finish(crawlA)).toBe(true);
      await w.frontier.close();
    });

    it('accepts offers to a dead host and settles them the same way', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ deadAfter: 1 });
      await w.offer(['http://a.test/1']);
      await troubled(w);
      await w.frontier.sweep();
      expect(await w.offer(['http://a.test/2'])).toEqual(['accepted']);
      w.clock.advance(3_600_000);
      expect(await w.lease()).toEqual([]);
      expect(await w.frontier.look(crawlA, 'http://a.test/2' as never)).toMatchObject({
        state: 'queued',
        host: { dead: true },
      });
      expect(await w.frontier.sweep()).toMatchObject({ settled: 1, more: false });
      expect(await w.balance()).toMatchObject({ failed: 2 });
      await w.frontier.close();
    });

    it('is dead for one crawl only', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ deadAfter: 1 });
      const b = await w.openCrawl({ id: 'b' as never });
      await w.offer(['http://a.test/1']);
      await troubled(w);
      await w.offer(['http://a.test/1'], {}, b);
      w.clock.advance(10_000);
      expect((await w.leaseOne()).crawl).toBe('b');
      await w.frontier.close();
    });
  });
}
