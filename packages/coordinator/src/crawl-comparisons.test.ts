import { type CrawlId, type PageRecord, type Url, WebfarerError } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import type { ComparisonPage, ComparisonSearch, CrawlComparisons } from './api/call/crawl-comparisons.ts';
import { type ComparedKind, comparedKinds } from './crawl/comparing/judge-pages.ts';
import { createCrawlComparisons } from './crawl-comparisons.ts';
import type { ReadFrontier } from './frontier-of.ts';
import { createWorld, offerOf, type World } from './frontier/suite/world.fixture.ts';
import { crawlSite, emptyStores, entryOf } from './settled-site.fixture.ts';

const stores = emptyStores();

/** What a site answers at each path: a body, a redirect, an error, or trouble. */
type Site = Record<string, string | { to: string } | { status: number }>;
/** No answer at all. */
const trouble = 'trouble';

/** Two states of one site. What lies between them is known, because a person wrote both down. */
const lastWeek: Site = {
  '/': 'home',
  '/stays': 'same',
  '/edited': 'old words',
  '/deleted': 'soon gone',
  '/moved': 'at its old place',
  '/unlinked': 'nobody leads here now',
  '/sick': 'well last week',
  '/was-broken': { status: 500 },
};
const thisWeek: Site = {
  '/': 'home',
  '/stays': 'same',
  '/edited': 'new words',
  '/deleted': { status: 404 },
  '/moved': { to: '/new-place' },
  '/new-place': 'at its new place',
  '/sick': trouble,
  '/was-broken': 'mended',
};
const truth: Record<ComparedKind, string[]> = {
  new: ['/new-place', '/was-broken'],
  changed: ['/edited'],
  unchanged: ['/', '/stays'],
  gone: ['/deleted', '/moved', '/unlinked'],
  unclear: ['/sick'],
};
const hosts = ['http://a.test', 'http://b.test', 'http://c.test'];

function recorded(answer: Site[string], origin: string): Partial<PageRecord> {
  if (answer === trouble) return { verdict: 'failed', reason: 'timeout', status: 0 };
  if (typeof answer === 'string') return { digest: `sha1:${answer}`, title: answer };
  if ('to' in answer) return { reason: 'redirect', status: 301, redirectTo: (origin + answer.to) as Url };
  const reason = answer.status >= 500 ? 'http-5xx' : 'http-4xx';
  return {
    verdict: answer.status >= 500 ? 'failed' : 'done',
    reason,
    status: answer.status,
  } as Partial<PageRecord>;
}

/** Every page of the site is fetched, on all hosts, and settled as the site answers. */
async function crawl(w: World, id: CrawlId, site: Site, most?: number) {
  await crawlSite(w, id, {
    urls: hosts.flatMap((origin) => Object.keys(site).map((path) => origin + path)),
    settle(url) {
      const { origin, pathname } = new URL(url);
      return { record: recorded(site[pathname] ?? { status: 404 }, origin) };
    },
    ...(most === undefined ? {} : { most }),
  });
}

const [now, before] = [entryOf('now'), entryOf('before')];
const all: ComparisonSearch = { id: '', change: undefined, after: '', limit: 100 };

async function whole(comparisons: CrawlComparisons, entry = now, other = before): Promise<ComparisonPage> {
  let page = await comparisons.compare(entry, other, all);
  for (let turn = 0; turn < 200 && !page.isReady; turn++)
    page = await comparisons.compare(entry, other, { ...all, id: page.id });
  expect(page.isReady).toBe(true);
  return page;
}

async function opened(name: keyof typeof stores) {
  const w = await createWorld({ name, open: stores[name] });
  const frontier = w.frontier as ReadFrontier;
  const comparisons = createCrawlComparisons({
    clock: w.clock,
    frontier,
    running: () => undefined,
    folderOf: () => '',
  });
  return { w, comparisons };
}

describe.each(Object.keys(stores) as (keyof typeof stores)[])('two crawls on %s', (name) => {
  it('finds what was added, changed and taken away, and nothing else', async () => {
    const { w, comparisons } = await opened(name);
    await crawl(w, before.id, lastWeek);
    await crawl(w, now.id, thisWeek);
    const { id, sums, ...rest } = await whole(comparisons);
    const lists = Object.fromEntries(
      await Promise.all(
        comparedKinds.map(async (change) => {
          const { pages } = await comparisons.compare(now, before, { ...all, id, change });
          return [change, pages.map(({ url }) => url)] as const;
        }),
      ),
    );
    const expected = Object.fromEntries(
      comparedKinds.map((kind) => [kind, hosts.flatMap((host) => truth[kind].map((path) => host + path))]),
    );
    expect(lists).toEqual(expected);
    expect(sums?.counts).toEqual(
      Object.fromEntries(comparedKinds.map((kind) => [kind, truth[kind].length * hosts.length])),
    );
    expect(rest.now).toEqual({ read: 24, known: 24, absent: 0 });
    expect(rest.before).toEqual({ read: 24, known: 24, absent: 0 });
    const gone = await comparisons.compare(now, before, { ...all, id, change: 'gone' });
    expect(gone.pages.slice(0, 3)).toEqual([
      {
        url: 'http://a.test/deleted',
        status: 404,
        statusBefore: 200,
        title: 'soon gone',
        why: 'answered 404',
      },
      {
        url: 'http://a.test/moved',
        status: 301,
        statusBefore: 200,
        title: 'at its old place',
        why: 'redirects to http://a.test/new-place',
      },
      {
        url: 'http://a.test/unlinked',
        statusBefore: 200,
        title: 'nobody leads here now',
        why: 'no longer linked',
      },
    ]);
    comparisons.close();
    await w.frontier.close();
  });

  it('adds up to the pages of both crawls', async () => {
    const { w, comparisons } = await opened(name);
    await crawl(w, before.id, lastWeek);
    await crawl(w, now.id, thisWeek);
    const { sums } = await whole(comparisons);
    const { counts, pages, unclear } = sums!;
    const shared = counts.changed + counts.unchanged + unclear.both;
    expect([pages.now, pages.before]).toEqual([
      counts.new + shared + unclear.now,
      counts.gone + shared + unclear.before,
    ]);
    const isPage = (answer: Site[string]) => typeof answer === 'string' && answer !== trouble;
    const count = (site: Site) => Object.values(site).filter(isPage).length * hosts.length;
    expect(pages).toEqual({ now: count(thisWeek), before: count(lastWeek) });
    comparisons.close();
    await w.frontier.close();
  });
});

it('calls nothing gone while the later crawl is not over', async () => {
  const { w, comparisons } = await opened('SQLite');
  await crawl(w, before.id, lastWeek);
  await crawl(w, now.id, thisWeek, 6);
  const { id, sums } = await whole(comparisons);
  const { pages } = await comparisons.compare(now, before, { ...all, id, change: 'gone' });
  expect(pages.filter(({ why }) => why === 'no longer linked')).toEqual([]);
  expect(sums?.unclear.before).toBeGreaterThan(0);
  comparisons.close();
  await w.frontier.close();
});

it('reads on in pages, keeps a comparison as it was, and begins anew when a crawl has moved on', async () => {
  const { w, comparisons } = await opened('SQLite');
  await crawl(w, before.id, lastWeek);
  await crawl(w, now.id, thisWeek);
  const { id } = await whole(comparisons);
  const urls: string[] = [];
  for (let [after, turn] = ['', 0]; turn < 20; turn++) {
    const page = await comparisons.compare(now, before, { ...all, id, change: 'gone', after, limit: 2 });
    urls.push(...page.pages.map(({ url }) => url));
    if (page.next === undefined) break;
    after = page.next;
  }
  expect(urls).toEqual(hosts.flatMap((host) => truth.gone.map((path) => host + path)));
  expect((await whole(comparisons)).id).toBe(id);
  await w.frontier.offer(now.id, [offerOf('http://a.test/later')]);
  expect((await whole(comparisons)).id).not.toBe(id);
  comparisons.forget(before);
  await expect(comparisons.compare(now, before, { ...all, id, change: 'new' })).rejects.toMatchObject({
    code: 'cursor-stale',
  });
  comparisons.close();
  await w.frontier.close();
});

it('answers about a comparison only to who names both of its crawls', async () => {
  const { w, comparisons } = await opened('SQLite');
  await crawl(w, before.id, lastWeek);
  await crawl(w, now.id, thisWeek);
  const { id } = await whole(comparisons);
  const mine = entryOf('mine');
  for (const [one, other] of [
    [mine, before],
    [now, mine],
    [before, now],
  ] as const)
    await expect(comparisons.compare(one, other, { ...all, id })).rejects.toMatchObject({
      code: 'cursor-stale',
    });
  comparisons.close();
  await w.frontier.close();
});

it('works on a comparison that was begun at another coordinator, as long as the crawls are the same', async () => {
  const { w, comparisons } = await opened('SQLite');
  await crawl(w, before.id, lastWeek);
  await crawl(w, now.id, thisWeek);
  const { id, sums } = await whole(comparisons);
  const frontier = w.frontier as ReadFrontier;
  const elsewhere = createCrawlComparisons({
    clock: w.clock,
    frontier,
    running: () => undefined,
    folderOf: () => '',
  });
  expect(await elsewhere.compare(now, before, { ...all, id })).toMatchObject({ id, sums });
  for (const each of [comparisons, elsewhere]) each.close();
  await w.frontier.close();
});

it('forgets comparisons that nobody looks at', async () => {
  const { w, comparisons } = await opened('SQLite');
  await crawl(w, before.id, lastWeek);
  await crawl(w, now.id, thisWeek);
  const { id } = await whole(comparisons);
  await w.frontier.offer(now.id, [offerOf('http://a.test/later')]);
  expect((await comparisons.compare(now, before, { ...all, id })).id).toBe(id);
  w.clock.advance(16 * 60_000);
  await expect(comparisons.compare(now, before, { ...all, id, change: 'new' })).rejects.toMatchObject({
    code: 'cursor-stale',
  });
  comparisons.close();
  await w.frontier.close();
});

/** Three coordinators of one store behind a proxy that asks them in turn, while the later crawl gets on before each request. */
async function behindProxy(name: keyof typeof stores = 'SQLite') {
  const { w, comparisons: first } = await opened(name);
  await crawl(w, before.id, lastWeek);
  await crawl(w, now.id, thisWeek, 4);
  // A step reads one crawl, or judges.
  const clock = { ...w.clock, now: () => (w.clock.advance(200), w.clock.now()) };
  const of = { clock, frontier: w.frontier as ReadFrontier, running: () => undefined, folderOf: () => '' };
  const coordinators = Array.from({ length: 3 }, () => createCrawlComparisons(of));
  let asked = 0;
  return {
    w,
    coordinators,
    asked: () => asked,
    async ask(search: Partial<ComparisonSearch>): Promise<ComparisonPage> {
      if (asked < 12) await crawl(w, now.id, thisWeek, 1);
      else await w.frontier.offer(now.id, [offerOf(`http://a.test/later-${asked}`)]);
      return await coordinators[asked++ % 3]!.compare(now, before, { ...all, ...search });
    },
    async close() {
      for (const each of [first, ...coordinators]) each.close();
      await w.frontier.close();
    },
  };
}

describe.each(Object.keys(stores) as (keyof typeof stores)[])('coordinators that share %s', (name) => {
  it('gets ready behind a proxy that asks coordinators in turn, while the crawl moves on', async () => {
    const { ask, asked, close } = await behindProxy(name);
    let page = await ask({});
    while (!page.isReady && asked() < 30) page = await ask({ id: page.id });
    expect(page.isReady).toBe(true);
    // Each needs three steps, and none of them was for nothing.
    expect(asked()).toBe(7);
    await close();
  });

  it('lists pages of one comparison alone, or says that it is not kept here', async () => {
    const { ask, asked, close } = await behindProxy(name);
    let page = await ask({});
    while (!page.isReady && asked() < 30) page = await ask({ id: page.id });
    const { id, sums } = page;
    for (const change of comparedKinds) {
      const urls: string[] = [];
      let stale = 0;
      for (let after: string | undefined = ''; after !== undefined; ) {
        // A cursor names its comparison by itself.
        const asking: Promise<ComparisonPage> = ask({ id: after === '' ? id : '', after, change, limit: 2 });
        const answer = await asking.catch((error: { code: string }) => error.code);
        if (typeof answer === 'string') {
          expect([answer, ++stale < 100]).toEqual(['cursor-stale', true]);
          continue;
        }
        expect(answer).toMatchObject({ id, isReady: true, sums });
        urls.push(...answer.pages.map(({ url }) => url));
        after = answer.next;
      }
      expect([change, urls.length, new Set(urls).size]).toEqual([
        change,
        sums!.counts[change],
        sums!.counts[change],
      ]);
    }
    await close();
  });
});

it('gives no id that others would give to something else', async () => {
  const { w, coordinators, close } = await behindProxy();
  const [here, there] = coordinators as [CrawlComparisons, CrawlComparisons];
  const begun = [await here.compare(now, before, all), await there.compare(now, before, all)];
  expect(begun[0]!.id).toBe(begun[1]!.id);
  await crawl(w, now.id, thisWeek, 2);
  const one = await whole(here);
  await crawl(w, now.id, thisWeek, 2);
  const other = await whole(there);
  expect([one.now.read, other.now.read]).toEqual([6, 8]);
  expect(one.id).not.toBe(other.id);
  // Asked for by the id that it had on the way, each says which one it has become; a list must name that one.
  expect((await here.compare(now, before, { ...all, id: begun[0]!.id })).id).toBe(one.id);
  for (const id of [begun[0]!.id, other.id])
    await expect(here.compare(now, before, { ...all, id, change: 'new' })).rejects.toMatchObject({
      code: 'cursor-stale',
    });
  await close();
});

it('shares no comparison for which results were not at hand', async () => {
  const { w, comparisons } = await opened('SQLite');
  await crawl(w, before.id, lastWeek);
  await crawl(w, now.id, thisWeek);
  const frontier = w.frontier as ReadFrontier;
  const results: ReadFrontier['results'] = {
    ...frontier.results,
    async after(...asked) {
      const page = await frontier.results.after(...asked);
      return { ...page, absent: [{ owner: 'another machine', segments: 1, records: 2 }] };
    },
  };
  const elsewhere = createCrawlComparisons({
    clock: w.clock,
    frontier: { ...frontier, results },
    running: () => undefined,
    folderOf: () => '',
  });
  const [here, there] = [await whole(comparisons), await whole(elsewhere)];
  expect([here.now.absent, there.now.absent, here.id === there.id]).toEqual([0, 2, false]);
  expect((await whole(elsewhere)).id).toBe(there.id);
  for (const [asked, id] of [
    [elsewhere, here.id],
    [comparisons, there.id],
  ] as const)
    await expect(asked.compare(now, before, { ...all, id, change: 'new' })).rejects.toMatchObject({
      code: 'cursor-stale',
    });
  for (const each of [comparisons, elsewhere]) each.close();
  await w.frontier.close();
});

/** How far it has come in the step after one that failed. */
async function afterFailure(code: 'store-silent' | 'cursor-stale'): Promise<ComparisonPage> {
  const { w, coordinators, close } = await behindProxy();
  const { results } = w.frontier as ReadFrontier;
  const { after } = results;
  const ask = () => coordinators[0]!.compare(now, before, all);
  expect(await ask()).toMatchObject({ before: { read: 24 }, now: { read: 0 } });
  results.after = () => Promise.reject(new WebfarerError(code, 'not read'));
  await expect(ask()).rejects.toMatchObject({ code });
  results.after = after;
  const page = await ask();
  await close();
  return page;
}

it('continues where the store did not answer for a moment', async () => {
  expect(await afterFailure('store-silent')).toMatchObject({ before: { read: 24 }, now: { read: 4 } });
});

it('begins anew where the results cannot be read further', async () => {
  expect(await afterFailure('cursor-stale')).toMatchObject({ before: { read: 24 }, now: { read: 0 } });
});
