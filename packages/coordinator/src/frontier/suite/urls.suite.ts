import type { SiteKey } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import { dropAll, retryAll } from '../all-steps.ts';
import type { KnownUrl, UrlFilter } from '../frontier.ts';
import {
  answered,
  crawlA,
  createWorld,
  failure,
  type FrontierUnderTest,
  gapMs,
  host,
  offerOf,
  outcome,
  url,
  type World,
} from './world.fixture.ts';

const urlOf = (known: KnownUrl) => ('entry' in known ? known.entry.url : known.record.url);

/** All pages of a search, each of at most so many. */
async function search(w: World, filter: UrlFilter, limit = 100): Promise<string[]> {
  const found: string[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await w.frontier.urls(crawlA, { filter, after, limit });
    expect(page.urls.length).toBeLessThanOrEqual(limit);
    found.push(...page.urls.map((known) => `${known.state} ${urlOf(known)}`));
    after = page.next;
  }
  return found.toSorted();
}

/** Two hosts of a site and one of another, with URLs in all states. */
async function busyWorld(under: FrontierUnderTest): Promise<World> {
  const w = await createWorld(under);
  await w.openCrawl();
  await w.offerInTurn(['https://a.one.test/1', 'https://b.one.test/x/1', 'http://two.test/1']);
  await w.frontier.offer(crawlA, [
    offerOf('https://a.one.test/2', { depth: 1 }),
    offerOf('https://a.one.test/map.xml', { kind: 'sitemap' }),
    offerOf('https://b.one.test/x/2', { depth: 2 }),
    offerOf('https://b.one.test/y', { depth: 2 }),
    offerOf('http://two.test/2'),
  ]);
  const leases = await w.lease(3, 2);
  const [one, other] = ['a.one.test', 'b.one.test'].map((name) => leases.find((at) => at.host === name)!);
  // a: the sitemap and /1 are done; b: /x/1 failed, /x/2 answered 404; two.test stays leased.
  await w.report(one!, { settled: one!.entries.map((entry) => outcome(entry)), news: answered, close: true });
  await w.report(other!, {
    settled: [
      failure(other!.entries[0]!, { status: 503, reason: 'http-5xx' }),
      outcome(other!.entries[1]!, { record: { status: 404, reason: 'http-4xx' } }),
    ],
    news: answered,
    close: true,
  });
  return w;
}

export function urlRules(under: FrontierUnderTest): void {
  describe('searches of URLs', () => {
    it('finds every known URL in its state, page by page', async () => {
      const w = await busyWorld(under);
      const all = [
        'done https://a.one.test/1',
        'done https://a.one.test/map.xml',
        'done https://b.one.test/x/2',
        'failed https://b.one.test/x/1',
        'leased http://two.test/1',
        'leased http://two.test/2',
        'queued https://a.one.test/2',
        'queued https://b.one.test/y',
      ];
      for (const limit of [1, 2, 3, 100]) expect(await search(w, {}, limit)).toEqual(all);
      // On a host with URLs in flight, those come once, and not as queued.
      await w.frontier.offer(crawlA, [offerOf('http://two.test/3')]);
      expect(await search(w, {})).toEqual([...all, 'queued http://two.test/3'].toSorted());
      await w.frontier.close();
    });

    it('keeps to each condition, and to all of them', async () => {
      const w = await busyWorld(under);
      const found = async (filter: UrlFilter) =>
        (await search(w, filter, 2)).map((line) => line.split(' ')[1]);
      expect(await found({ state: 'queued' })).toEqual(['https://a.one.test/2', 'https://b.one.test/y']);
      expect(await found({ state: 'leased' })).toEqual(['http://two.test/1', 'http://two.test/2']);
      expect(await found({ state: 'failed' })).toEqual(['https://b.one.test/x/1']);
      expect(await found({ reason: 'http-4xx' })).toEqual(['https://b.one.test/x/2']);
      expect(await found({ reason: 'robots' })).toEqual([]);
      expect(await found({ status: '5xx' })).toEqual(['https://b.one.test/x/1']);
      expect(await found({ status: '404', state: 'queued' })).toEqual([]);
      expect(await found({ state: 'done', reason: 'http-5xx' })).toEqual([]);
      expect(await found({ host: host('two.test') })).toEqual(['http://two.test/1', 'http://two.test/2']);
      expect(await found({ host: host('none.test') })).toEqual([]);
      expect(await found({ site: 'two.test' as SiteKey })).toHaveLength(2);
      expect(await found({ site: 'one.test' as SiteKey })).toHaveLength(6);
      expect(await found({ site: 'one.test' as SiteKey, state: 'queued' })).toHaveLength(2);
      expect(await found({ prefix: 'https://b.one.test/x/' })).toHaveLength(2);
      expect(await found({ prefix: 'https://b.one' })).toHaveLength(3);
      expect(await found({ prefix: 'http://b.one.test/' })).toEqual([]);
      expect(await found({ depth: 2 })).toEqual(['https://b.one.test/x/2', 'https://b.one.test/y']);
      expect(await found({ depth: 2, state: 'done' })).toEqual(['https://b.one.test/x/2']);
      await w.frontier.close();
    });

    it('refuses cursors that it did not make', async () => {
      const w = await busyWorld(under);
      const { next = '' } = await w.frontier.urls(crawlA, { filter: {}, after: '', limit: 1 });
      const forged = Buffer.from('[1,"x",2]').toString('base64url');
      for (const after of ['x', forged, `${next.slice(0, -6)}AAAA`]) {
        await expect(w.frontier.urls(crawlA, { filter: {}, after, limit: 1 })).rejects.toMatchObject({
          code: expect.stringMatching(/^(usage|cursor-stale)$/) as string,
        });
        const step = { filter: {}, after, only: () => true };
        await expect(w.frontier.retry(crawlA, step)).rejects.toThrow('cursor');
        await expect(w.frontier.drop(crawlA, step, 'dropped')).rejects.toThrow('cursor');
      }
      expect(await w.balance()).toMatchObject({ known: 8, queued: 2 });
      await w.frontier.close();
    });

    it('drops what is queued and matches, counted by reason, and a retry brings it back', async () => {
      const w = await busyWorld(under);
      expect(await dropAll(w.frontier, crawlA, { filter: { depth: 2 }, reason: 'dropped' })).toBe(1);
      expect(await w.balance()).toMatchObject({ known: 8, queued: 1, leased: 2, refused: 1 });
      const only = ({ url: at }: { url: string }) => at.endsWith('/2');
      expect(await dropAll(w.frontier, crawlA, { filter: {}, only, reason: 'scope' })).toBe(1);
      expect((await w.frontier.totals(crawlA)).byReason).toMatchObject({ dropped: 1, scope: 1 });
      expect(await w.frontier.look(crawlA, url('https://b.one.test/y'))).toMatchObject({
        state: 'settled',
        record: { verdict: 'refused', reason: 'dropped', attempts: 0 },
      });
      expect(await search(w, { state: 'queued' })).toEqual([]);
      expect(await retryAll(w.frontier, crawlA, { reason: 'dropped', depth: 2 })).toBe(1);
      expect(await retryAll(w.frontier, crawlA, { reason: 'scope' }, () => false)).toBe(0);
      expect(await search(w, { state: 'queued' })).toEqual(['queued https://b.one.test/y']);
      w.clock.advance(gapMs);
      expect((await w.lease()).map(({ entries }) => entries.map((entry) => entry.url))).toEqual([
        ['https://b.one.test/y'],
      ]);
      await w.frontier.close();
    });

    it('drops the rest of a long queue in steps, and leaves the others in their order', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      const urls = Array.from(
        { length: 2_600 },
        (_, n) => `http://long.test/${n % 3 === 0 ? 'keep' : 'go'}/${n}`,
      );
      await w.offer(urls);
      const filter = { prefix: 'http://long.test/go/' };
      let [moved, steps] = [0, 0];
      for (let after: string | undefined = ''; after !== undefined; steps++) {
        const step = { filter, after, only: () => true };
        const answer = await w.frontier.drop(crawlA, step, 'dropped');
        moved += answer.moved;
        after = answer.next;
      }
      const kept = urls.filter((_, n) => n % 3 === 0);
      expect([moved, steps <= 10]).toEqual([urls.length - kept.length, true]);
      expect(await w.balance()).toMatchObject({ queued: kept.length, refused: urls.length - kept.length });
      expect((await search(w, { state: 'queued' }, 1000)).length).toBe(kept.length);
      const [lease] = await w.lease(1, 5);
      expect(lease!.entries.map((entry) => entry.url)).toEqual(kept.slice(0, 5));
      expect(await retryAll(w.frontier, crawlA, { reason: 'dropped' })).toBe(moved);
      await w.frontier.close();
    });

    it('gives others their turn where judging is slow', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(Array.from({ length: 60 }, (_, n) => `http://long.test/${n}`));
      const judge = openSlowJudge();
      expect(await dropAll(w.frontier, crawlA, { filter: {}, only: judge.only, reason: 'scope' })).toBe(60);
      expect(judge.most(), 'URLs dropped at once').toBeLessThan(20);
      expect(await retryAll(w.frontier, crawlA, { reason: 'scope' }, judge.only)).toBe(60);
      expect(judge.most(), 'URLs queued again at once').toBeLessThan(20);
      judge.close();
      expect(await w.balance()).toMatchObject({ queued: 60, refused: 0 });
      await w.frontier.close();
    });

    it('finds what stays queued while the front of the queue is leased', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(Array.from({ length: 30 }, (_, n) => `http://long.test/${n}`));
      const found = new Set<string>();
      let pages = 0;
      for (let after: string | undefined = ''; after !== undefined; pages++) {
        const page = await w.frontier.urls(crawlA, { filter: { state: 'queued' }, after, limit: 4 });
        for (const known of page.urls) found.add(urlOf(known));
        after = page.next;
        if (pages < 3) {
          const [lease] = await w.lease(1, 3);
          if (lease) await w.finishLease(lease);
          w.clock.advance(gapMs);
        }
      }
      const left = Array.from({ length: 21 }, (_, n) => `http://long.test/${n + 9}`);
      expect(left.filter((one) => !found.has(one))).toEqual([]);
      await w.frontier.close();
    });
  });
}

/** Takes 5 ms for each URL, and counts how many it is asked about before others have a turn. */
function openSlowJudge(): { only: () => boolean; most(): number; close(): void } {
  let [inThisTurn, most] = [0, 0];
  const turns = setInterval(() => {
    inThisTurn = 0;
  }, 0);
  return {
    only() {
      most = Math.max(most, ++inThisTurn);
      for (const fromMs = performance.now(); performance.now() - fromMs < 5; );
      return true;
    },
    most: () => most,
    close: () => clearInterval(turns),
  };
}
