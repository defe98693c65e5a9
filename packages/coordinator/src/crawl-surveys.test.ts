import type { Edge, PageRecord, Url } from '@webfarer/protocol';
import type { CrawlStatistics, HostGraph } from '@webfarer/protocol/api';
import { describe, expect, it } from 'vitest';
import type { CrawlSurveys, Tallies } from './api/call/crawl-surveys.ts';
import type { CatalogEntry } from './catalog/catalog.ts';
import { createCrawlSurveys } from './crawl-surveys.ts';
import type { ReadFrontier } from './frontier-of.ts';
import { createWorld, offerOf } from './frontier/suite/world.fixture.ts';
import { crawlSite, emptyStores, entryOf } from './settled-site.fixture.ts';

const stores = emptyStores();
const entry = entryOf('now');

const urls = ['a', 'b', 'c'].flatMap((host) =>
  Array.from({ length: 8 }, (_, n) => `http://${host}.test/${n}`),
);
/** One of eight fails, one is missing. */
function recorded(url: Url): Partial<PageRecord> {
  if (url.endsWith('7')) return { verdict: 'failed', reason: 'timeout', bytes: 0 };
  if (url.endsWith('6')) return { reason: 'http-4xx', status: 404, bytes: 0 };
  return { bytes: Number(url.at(-1)) };
}

/** Every page links to the first page of another host. */
const linksOf = (url: Url): Edge[] => [
  { to: (url.startsWith('http://a') ? 'http://b.test/0' : 'http://a.test/0') as Url, rel: 'a' },
];

/** How often a record was taken in, and what of; how it is counted is tested where that is done. */
function countingTallies() {
  const seen: string[] = [];
  const linked: string[] = [];
  const tallies: Tallies = {
    hostGraph: () => ({
      addRecord: ({ url }) => void linked.push(url),
      addLinks: (from, edges) => linked.push(...edges.map(({ to }) => `${from} ${to}`)),
      figures: () => ({ hosts: [] }) as unknown as HostGraph,
    }),
    statistics() {
      const sums = { urls: 0, bytes: 0, failed: 0 };
      return {
        add({ url, bytes, verdict }) {
          seen.push(url);
          sums.urls += 1;
          sums.bytes += bytes;
          if (verdict === 'failed') sums.failed += 1;
        },
        figures: () => sums as unknown as CrawlStatistics,
      };
    },
  };
  return { tallies, seen, linked };
}

async function opened(name: keyof typeof stores, most?: number) {
  const w = await createWorld({ name, open: stores[name] });
  await crawlSite(w, entry.id, {
    urls,
    settle: (url) => ({ record: recorded(url), edges: linksOf(url) }),
    ...(most === undefined ? {} : { most }),
  });
  const { tallies, seen, linked } = countingTallies();
  const frontier = w.frontier as ReadFrontier;
  const surveys = createCrawlSurveys({
    clock: w.clock,
    frontier,
    running: () => undefined,
    folderOf: () => '',
    tallies,
  });
  return {
    w,
    seen,
    linked,
    surveys,
    async close() {
      surveys.close();
      await w.frontier.close();
    },
  };
}

async function whole(surveys: CrawlSurveys) {
  let page = await surveys.statistics(entry, '');
  for (let turn = 0; turn < 200 && !page.isReady; turn++) page = await surveys.statistics(entry, page.id);
  expect(page.isReady).toBe(true);
  return page;
}

describe.each(Object.keys(stores) as (keyof typeof stores)[])('the results of a crawl on %s', (name) => {
  it('are read once each, and add up with what the crawl has counted', async () => {
    const { surveys, seen, close } = await opened(name);
    const { figures, read, balance, absent } = await whole(surveys);
    expect(figures).toEqual({ urls: 24, bytes: 3 * (0 + 1 + 2 + 3 + 4 + 5), failed: 3 });
    expect(balance).toEqual({ known: 24, queued: 0, leased: 0, done: 21, failed: 3, refused: 0 });
    expect([read, absent]).toEqual([24, 0]);
    expect(seen.toSorted()).toEqual(urls.toSorted());
    await close();
  });

  it('have their links counted with them, each once', async () => {
    const { surveys, linked, close } = await opened(name);
    let page = await surveys.hostGraph(entry, '');
    for (let turn = 0; turn < 200 && !page.isReady; turn++) page = await surveys.hostGraph(entry, page.id);
    expect(page).toMatchObject({ isReady: true, read: 24, figures: { hosts: [] } });
    const links = urls.flatMap((url) => linksOf(url as Url).map(({ to }) => `${url} ${to}`));
    expect(linked.toSorted()).toEqual([...urls, ...links].toSorted());
    await close();
  });

  it('are not read again before the crawl has moved on', async () => {
    const { w, surveys, seen, close } = await opened(name, 20);
    const { id, figures } = await whole(surveys);
    expect(seen).toHaveLength(20);
    expect(await surveys.statistics(entry, '')).toMatchObject({ id, figures });
    expect(seen).toHaveLength(20);
    await w.frontier.offer(entry.id, [offerOf('http://a.test/later')]);
    // Who has begun with it reads it as it was.
    expect(await surveys.statistics(entry, id)).toMatchObject({ id, figures });
    const later = await whole(surveys);
    expect(later.id).not.toBe(id);
    expect(later.balance.known).toBe(25);
    expect(seen).toHaveLength(40);
    await close();
  });
});

it('counts no URL twice that was retried between two surveys', async () => {
  const { w, surveys, close } = await opened('SQLite');
  const { id } = await whole(surveys);
  await w.frontier.retry(entry.id, { filter: { verdict: 'failed' }, after: '', only: () => true });
  const { id: next, figures, balance } = await whole(surveys);
  expect(next).not.toBe(id);
  expect(balance).toMatchObject({ queued: 3, failed: 0 });
  expect(figures).toMatchObject({ urls: 21, failed: 0 });
  await close();
});

it('gets on at each coordinator that is asked in turns, while the crawl moves on', async () => {
  const { w, surveys, close } = await opened('SQLite');
  // No time is left for reading.
  let stepMs = 1_000;
  const clock = { ...w.clock, now: () => (w.clock.advance(stepMs), w.clock.now()) };
  const of = { clock, frontier: w.frontier as ReadFrontier, running: () => undefined, folderOf: () => '' };
  const [here, there] = [createCrawlSurveys, createCrawlSurveys].map((create) =>
    create({ ...of, tallies: countingTallies().tallies }),
  ) as [CrawlSurveys, CrawlSurveys];
  const first = await here.statistics(entry, '');
  await w.frontier.offer(entry.id, [offerOf('http://a.test/later')]);
  const second = await there.statistics(entry, first.id);
  expect([first.isReady, second.isReady, second.id === first.id]).toEqual([false, false, false]);
  await w.frontier.offer(entry.id, [offerOf('http://a.test/latest')]);
  stepMs = 0;
  expect(await here.statistics(entry, second.id)).toMatchObject({ id: first.id, isReady: true, read: 24 });
  expect(await there.statistics(entry, first.id)).toMatchObject({ id: second.id, isReady: true, read: 24 });
  for (const each of [surveys, here, there]) each.close();
  await close();
});

it('answers about a survey only to who names its crawl, and not once it is forgotten', async () => {
  const { w, surveys, close } = await opened('SQLite');
  const { id } = await whole(surveys);
  const stale = { code: 'cursor-stale' };
  const asked = async (of: CatalogEntry, wanted: string) =>
    await surveys.statistics(of, wanted).catch((error: unknown) => error);
  expect(await asked(entryOf('other'), id)).toMatchObject(stale);
  await w.frontier.offer(entry.id, [offerOf('http://a.test/later')]);
  expect((await surveys.statistics(entry, id)).id).toBe(id);
  surveys.forget(entry);
  expect((await surveys.statistics(entry, id)).id).not.toBe(id);
  await close();
});

it('forgets what nobody has asked for in 15 minutes', async () => {
  const { w, surveys, close } = await opened('SQLite');
  const { id } = await whole(surveys);
  await w.frontier.offer(entry.id, [offerOf('http://a.test/later')]);
  expect((await surveys.statistics(entry, id)).id).toBe(id);
  w.clock.advance(16 * 60_000);
  expect((await surveys.statistics(entry, id)).id).not.toBe(id);
  await close();
});
