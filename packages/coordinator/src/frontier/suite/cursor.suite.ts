import type { CrawlId } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import { retryAll } from '../all-steps.ts';
import { followResults } from '../../results/follow.ts';
import {
  resultKinds,
  type ResultsCursor,
  type ResultsPage,
  type ResultsQuery,
} from '../../results/results.ts';
import {
  answered,
  createWorld,
  crawlA,
  type FrontierUnderTest,
  outcome,
  type World,
} from './world.fixture.ts';

const crawlB = 'b' as CrawlId;
const all: ResultsQuery = { kinds: resultKinds, filter: {}, limit: 3, absent: 'hold' };

/** Settles these URLs, each with two items and a link; one host after the other, at a time of its own. */
async function settle(w: World, urls: string[], crawl = crawlA): Promise<void> {
  await w.offer(urls, {}, crawl);
  for (let left = urls.length; left > 0; w.clock.advance(1)) {
    for (const lease of await w.lease(10, 100)) {
      left -= lease.entries.length;
      await w.report(lease, {
        settled: lease.entries.map((entry) =>
          outcome(entry, { items: [1, entry.url], edges: [{ to: entry.url, rel: 'a' }] }),
        ),
        news: { ...answered, gapMs: 0 },
        close: true,
      });
    }
  }
}

/** Pages from a cursor until there is no more. */
async function read(
  w: World,
  cursor?: ResultsCursor,
  query: Partial<ResultsQuery> = {},
): Promise<ResultsPage & { pages: ResultsPage[] }> {
  const pages: ResultsPage[] = [];
  for (let at = cursor, more = true; more; ) {
    const page = await w.frontier.results.after(crawlA, at, { ...all, ...query });
    pages.push(page);
    ({ more, cursor: at } = page);
  }
  const last = pages.at(-1) as ResultsPage;
  return { ...last, entries: pages.flatMap(({ entries }) => entries), pages };
}

const urlsOf = (page: ResultsPage) =>
  page.entries.filter(({ kind }) => kind === 'record').map(({ url }) => url as string);
const pathsOf = (host: string, count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => `http://${host}/${n + from}`);

/** Results can be followed: nothing is skipped and nothing comes twice. */
export function cursorRules(under: FrontierUnderTest): void {
  describe('cursors', () => {
    it('give what was settled since, in the order of each host, with items and links', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ gapMs: 0 });
      const empty = await read(w);
      expect(empty).toMatchObject({ entries: [], more: false, absent: [] });
      await settle(w, [...pathsOf('a.test', 7), ...pathsOf('b.test', 5)]);
      const first = await read(w, empty.cursor);
      expect(urlsOf(first).filter((url) => url.includes('a.test'))).toEqual(pathsOf('a.test', 7));
      expect(urlsOf(first).filter((url) => url.includes('b.test'))).toEqual(pathsOf('b.test', 5));
      expect(first.pages.length).toBeGreaterThan(3);
      // Record, items, links: what belongs to an outcome stands together.
      for (const page of first.pages) {
        expect(urlsOf(page).length).toBeLessThanOrEqual(3);
        const kinds = page.entries.map(({ kind }) => kind);
        expect(kinds).toEqual(urlsOf(page).flatMap(() => ['record', 'item', 'item', 'links']));
        const urls = page.entries.map(({ url }) => url);
        expect(urls).toEqual(urlsOf(page).flatMap((url) => [url, url, url, url]));
      }
      expect(await read(w, first.cursor)).toMatchObject({ entries: [], more: false });
      await settle(w, pathsOf('b.test', 2, 5));
      expect(urlsOf(await read(w, first.cursor))).toEqual(pathsOf('b.test', 2, 5));
      // From an older place once more, and from the start.
      expect(urlsOf(await read(w, empty.cursor)).toSorted()).toEqual(urlsOf(await read(w)).toSorted());
      await w.frontier.close();
    });

    it('stand behind each outcome of a page as well as behind the page', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ gapMs: 0 });
      await settle(w, [...pathsOf('a.test', 4), ...pathsOf('b.test', 3)]);
      const page = await w.frontier.results.after(crawlA, undefined, { ...all, limit: 100 });
      const urls = urlsOf(page);
      expect(urls).toHaveLength(7);
      // The cursor of any entry of an outcome stands behind all of that outcome.
      for (const [index, { url }] of page.entries.entries()) {
        const rest = await read(w, page.cursorAt(index));
        expect(urlsOf(rest).toSorted()).toEqual(urls.slice(urls.indexOf(url) + 1).toSorted());
      }
      expect((await read(w, page.cursorAt(0))).entries).toHaveLength(24);
      await w.frontier.close();
    });

    it('whoever listens is told where something was settled, and can look there alone', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ gapMs: 0 });
      const { results } = w.frontier;
      const before = await results.newest(crawlA);
      const told = new Set<number>();
      let isAnywhere = false;
      const deaf = results.onSettled((news) => {
        if (news === 'anywhere') isAnywhere = true;
        else if (news.crawl === crawlA) told.add(news.group);
      });
      await settle(w, pathsOf('a.test', 3));
      deaf();
      await settle(w, pathsOf('b.test', 2));
      const query = { ...all, limit: 100 };
      const groups = isAnywhere ? new Set([0]) : told;
      const page = await results.afterIn(crawlA, before, query, groups);
      expect(urlsOf(page)).toEqual(expect.arrayContaining(pathsOf('a.test', 3)));
      // What was not looked at comes later, and what was seen does not come again.
      const rest = await read(w, page.cursor);
      expect([...urlsOf(page), ...urlsOf(rest)].toSorted()).toEqual([
        ...pathsOf('a.test', 3),
        ...pathsOf('b.test', 2),
      ]);
      await w.frontier.close();
    });

    it('can begin behind everything that is there', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ gapMs: 0 });
      expect((await read(w, await w.frontier.results.newest(crawlA))).entries).toEqual([]);
      await settle(w, [...pathsOf('a.test', 4), ...pathsOf('b.test', 3)]);
      const cursor = await w.frontier.results.newest(crawlA);
      expect((await read(w, cursor)).entries).toEqual([]);
      await settle(w, pathsOf('b.test', 2, 3));
      expect(urlsOf(await read(w, cursor))).toEqual(pathsOf('b.test', 2, 3));
      await w.frontier.close();
    });

    it('give each kind by itself, and only what matches', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ gapMs: 0 });
      await settle(w, pathsOf('a.test', 7));
      const items = await read(w, undefined, { kinds: ['item'] });
      expect(items.entries.map((entry) => entry.kind === 'item' && entry.item)).toEqual(
        pathsOf('a.test', 7).flatMap((url) => [1, url]),
      );
      const links = await read(w, undefined, { kinds: ['links'] });
      expect(links.entries.map((entry) => entry.kind === 'links' && entry.links.edges[0]?.to)).toEqual(
        pathsOf('a.test', 7),
      );
      for (const { cursor } of [items, links]) expect((await read(w, cursor)).entries).toEqual([]);
      const failed = await read(w, undefined, { filter: { verdict: 'failed' } });
      expect(failed.entries).toEqual([]);
      // What did not match has been passed as well.
      expect((await read(w, failed.cursor)).entries).toEqual([]);
      await w.frontier.close();
    });

    it('pass over what a retry removes; its next outcome comes as any other', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ gapMs: 0 });
      await settle(w, pathsOf('a.test', 6));
      const half = await w.frontier.results.after(crawlA, undefined, all);
      const whole = await read(w);
      expect(urlsOf(half)).toEqual(pathsOf('a.test', 3));
      // All of them go, also the latest: a reader that stands behind them must notice what comes instead.
      expect(await retryAll(w.frontier, crawlA, {})).toBe(6);
      expect((await read(w)).entries).toEqual([]);
      expect((await read(w, half.cursor)).entries).toEqual([]);
      expect((await read(w, whole.cursor)).entries).toEqual([]);
      await settle(w, ['http://a.test/new']);
      const again = [...pathsOf('a.test', 6), 'http://a.test/new'];
      for (const cursor of [undefined, half.cursor, whole.cursor])
        expect(urlsOf(await read(w, cursor))).toEqual(again);
      await w.frontier.close();
    });

    it('are of one crawl', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.openCrawl({ id: crawlB });
      const { after } = w.frontier.results;
      const { cursor } = await after(crawlA, undefined, all);
      await expect(after(crawlB, cursor, all)).rejects.toMatchObject({ code: 'cursor-stale' });
      await expect(after(crawlA, 'nonsense' as ResultsCursor, all)).rejects.toMatchObject({ code: 'usage' });
      await expect(after('none' as CrawlId, cursor, all)).rejects.toMatchObject({ code: 'not-found' });
      await w.frontier.close();
    });

    it('can be followed without end, and what is settled here is noticed at once', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ gapMs: 0 });
      await settle(w, pathsOf('a.test', 2));
      const stop = new AbortController();
      // Never over by itself.
      const sleep = (_ms: number, signal?: AbortSignal) =>
        new Promise<void>((_, reject) => signal?.addEventListener('abort', () => reject(new Error('over'))));
      const pages = followResults(w.frontier.results, {
        ...all,
        crawl: crawlA,
        cursor: undefined,
        clock: { now: w.clock.now, sleep },
        signal: stop.signal,
        everyMs: 1_000,
      });
      const next = async () => urlsOf((await pages.next()).value as ResultsPage);
      expect(await next()).toEqual(pathsOf('a.test', 2));
      const coming = next();
      await settle(w, pathsOf('a.test', 1, 2));
      expect(await coming).toEqual(pathsOf('a.test', 1, 2));
      const last = pages.next();
      stop.abort();
      expect((await last).done).toBe(true);
      await w.frontier.close();
    });
  });
}
