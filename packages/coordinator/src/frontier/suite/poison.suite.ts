import type { HostLease, WorkerId } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import { retryAll } from '../all-steps.ts';
import {
  answered,
  collect,
  createWorld,
  crawlA,
  type FrontierUnderTest,
  gapMs,
  outcome,
  settings,
  url,
  worker,
  type World,
} from './world.fixture.ts';

const heldMs = settings.leaseTtlMs + settings.maxFetchMs + gapMs;

/** The worker fetches what it was leased, dies and comes back; when its hosts are due again, it asks for more. */
async function dieAndLease(w: World, lease: HostLease) {
  await begin(w, lease);
  return await leaseAfterDeath(w);
}

async function begin(w: World, { id, crawl, host, fence }: HostLease) {
  const news = { endedAgoMs: null, gapMs: 0, why: 'gap', health: 'none' } as const;
  const report = { id, crawl, host, fence, settled: [], news, begun: true, close: false };
  expect(await w.frontier.report([report])).toMatchObject([{ ok: true }]);
}

async function leaseAfterDeath(w: World) {
  expect(await w.frontier.releaseAll(worker)).toBe(1);
  w.clock.advance(gapMs);
  return await w.lease();
}

/** URLs that end their workers must not do so for ever. */
export function poisonRules(under: FrontierUnderTest): void {
  describe('poisonous URLs', () => {
    it('gives up the URL in hand when its workers died too often, and nothing else', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ poisonAfter: 3 });
      await w.offer(['http://a.test/1', 'http://a.test/2', 'http://a.test/3']);
      const first = await w.leaseOne();
      await w.report(first, { settled: [outcome(first.entries[0]!)] });
      const [second] = await dieAndLease(w, first);
      expect(second?.entries).toMatchObject([{ url: 'http://a.test/2', attempt: 0, deaths: 1 }]);
      const [third] = await dieAndLease(w, second!);
      expect(third?.entries).toMatchObject([{ url: 'http://a.test/2', deaths: 2 }]);
      const [last] = await dieAndLease(w, third!);
      expect(last?.entries.map((entry) => [entry.url, entry.deaths])).toEqual([
        ['http://a.test/3', undefined],
      ]);
      expect(await w.balance()).toMatchObject({ known: 3, leased: 1, done: 1, failed: 1 });
      const [record] = await collect(w.frontier.results.records(crawlA, { reason: 'poison' }));
      expect(record).toMatchObject({
        url: 'http://a.test/2',
        verdict: 'failed',
        attempts: 0,
        bytes: 0,
        detail: '3 workers died while fetching it',
      });
      expect(await w.frontier.totals(crawlA)).toMatchObject({ byReason: { ok: 1, poison: 1 } });
      await w.frontier.close();
    });

    it('counts leases that ran out, whoever finds them, and restarts of everything', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ poisonAfter: 4 });
      await w.offer(['http://a.test/1']);
      await w.leaseOne();
      w.clock.advance(settings.leaseTtlMs);
      expect(await w.frontier.sweep()).toEqual({ expired: 1, settled: 0, more: false });
      // Dead as well, but it was charged already.
      await w.frontier.releaseAll(worker);
      w.clock.advance(heldMs);
      const leaseAndBegin = async (deaths: number) => {
        const lease = await w.leaseOne();
        expect(lease.entries).toMatchObject([{ deaths }]);
        await begin(w, lease);
      };
      await leaseAndBegin(1);
      w.clock.advance(heldMs);
      await leaseAndBegin(2);
      await w.frontier.releaseAll();
      w.clock.advance(gapMs);
      await leaseAndBegin(3);
      w.clock.advance(settings.leaseTtlMs);
      await w.frontier.sweep();
      expect(await w.frontier.look(crawlA, url('http://a.test/1'))).toMatchObject({
        state: 'settled',
        record: { reason: 'poison' },
      });
      expect(await w.frontier.finish(crawlA)).toBe(true);
      await w.frontier.close();
    });

    it('charges a URL again only when its worker had begun with it', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ poisonAfter: 2 });
      await w.offer(['http://a.test/1', 'http://a.test/2']);
      await w.leaseOne();
      let [lease] = await leaseAfterDeath(w);
      for (let i = 0; i < 3; i++) {
        expect(lease?.entries).toMatchObject([{ url: 'http://a.test/1', deaths: 1 }]);
        [lease] = await leaseAfterDeath(w);
      }
      // Nor when it runs out, whether or not it was renewed.
      expect(await w.frontier.renew([lease!])).toMatchObject([{ ok: true }]);
      w.clock.advance(settings.leaseTtlMs);
      await w.frontier.sweep();
      w.clock.advance(heldMs);
      const again = await w.leaseOne();
      expect(again.entries).toMatchObject([{ url: 'http://a.test/1', deaths: 1 }]);
      // What was begun stays so while the lease lasts.
      await begin(w, again);
      expect(await w.frontier.renew([again])).toMatchObject([{ ok: true }]);
      const [other] = await leaseAfterDeath(w);
      expect(other?.entries.map((entry) => entry.url)).toEqual(['http://a.test/2']);
      expect(await w.frontier.totals(crawlA)).toMatchObject({ byReason: { poison: 1 } });
      await w.frontier.close();
    });

    it('charges nothing for a closed lease, and forgets deaths when a try was survived', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ poisonAfter: 2 });
      await w.offer(['http://a.test/1']);
      const [suspect] = await dieAndLease(w, await w.leaseOne());
      expect(suspect?.entries).toMatchObject([{ deaths: 1 }]);
      await w.report(suspect!, { close: true });
      const again = await w.leaseOne();
      expect(again.entries).toMatchObject([{ deaths: 1, attempt: 0 }]);
      const retry = { kind: 'retry' as const, url: url('http://a.test/1'), reason: 'timeout' as const };
      await w.report(again, { settled: [retry], news: answered, close: true });
      w.clock.advance(gapMs);
      const [entry] = (await w.leaseOne()).entries;
      expect(entry).toMatchObject({ attempt: 1 });
      expect(entry?.deaths).toBeUndefined();
      await w.frontier.close();
    });

    it('leases a URL alone whose worker died, also from the middle of a queue', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ poisonAfter: 3 });
      await w.offer(['http://a.test/1', 'http://a.test/2']);
      await w.leaseOne();
      await w.frontier.releaseAll('other' as WorkerId);
      await w.frontier.releaseAll(worker);
      w.clock.advance(gapMs);
      await w.offer(['http://a.test/map'], { kind: 'sitemap' });
      const urls: string[][] = [];
      for (let i = 0; i < 3; i++) {
        const lease = await w.leaseOne();
        urls.push(lease.entries.map((entry) => entry.url));
        await w.finishLease(lease);
        w.clock.advance(gapMs);
      }
      expect(urls).toEqual([['http://a.test/map'], ['http://a.test/1'], ['http://a.test/2']]);
      await w.frontier.close();
    });

    it('frees what the URL took of a budget, and a retry gives it fresh chances', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ poisonAfter: 1, limits: { pages: 1, hostPages: 1 } });
      await w.offer(['http://a.test/1', 'http://a.test/2']);
      const [next] = await dieAndLease(w, await w.leaseOne());
      expect(next?.entries).toMatchObject([{ url: 'http://a.test/2' }]);
      await w.report(next!, {
        settled: [outcome(next!.entries[0]!, { record: { verdict: 'failed', reason: 'timeout' } })],
        close: true,
      });
      expect(await retryAll(w.frontier, crawlA, { reason: 'poison' })).toBe(1);
      w.clock.advance(gapMs);
      const [entry] = (await w.leaseOne()).entries;
      expect(entry).toMatchObject({ url: 'http://a.test/1', attempt: 0 });
      expect(entry?.deaths).toBeUndefined();
      await w.frontier.close();
    });
  });
}
