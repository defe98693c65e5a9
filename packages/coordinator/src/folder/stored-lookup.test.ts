import type { CrawlId, Edge, PageRecord, Url } from '@webfarer/protocol';
import { packEdges, pageLinks } from '@webfarer/protocol/link';
import { resolveJob } from '@webfarer/protocol/job';
import { expect, it } from 'vitest';
import type { ResultEntry, ResultsCursor, ResultsPage, ResultsSource } from '../results/results.ts';
import { previousCrawl } from './previous-crawl.ts';
import { readLookup } from './stored-lookup.ts';

const crawl = 'c' as CrawlId;
const job = resolveJob({ seeds: ['https://a.test/'] });
const page = (url: Url) => ({ url, kind: 'page' as const });
const urlOf = (path: string) => `https://a.test/${path}` as Url;

function outcome(path: string, etag: string, links: string[] = []): ResultEntry[] {
  const where = { group: 0, place: { major: 1, minor: 0 }, url: urlOf(path) };
  const record = {
    url: urlOf(path),
    kind: 'page',
    verdict: 'done',
    reason: 'ok',
    startedAtMs: 7,
    etag,
    saved: [{ saver: 'warc', file: 'archive/a.warc.gz', offset: 0, length: 1 }],
  } as PageRecord;
  const edges: Edge[] = links.map((to) => ({ to: urlOf(to), rel: 'a' }));
  const found: ResultEntry[] = [{ kind: 'record', ...where, record }];
  if (edges.length === 0) return found;
  return [...found, { kind: 'links', ...where, links: pageLinks(where.url, packEdges(where.url, edges)) }];
}

/** Pages of results one after the other, as a store answers them. */
function source(pages: ResultEntry[][], absent = 0): Pick<ResultsSource, 'after'> {
  return {
    after(_crawl, cursor, { absent: then }) {
      expect(then).toBe('pass');
      const at = Number(cursor ?? 0);
      const next = String(at + 1) as ResultsCursor;
      return Promise.resolve<ResultsPage>({
        entries: pages[at] ?? [],
        cursor: next,
        cursorAt: () => next,
        more: at + 1 < pages.length,
        absent: at === 0 && absent > 0 ? [{ owner: 'b', segments: 1, records: absent }] : [],
      });
    },
  };
}

it('finds every URL of all pages with its links, as its last outcome has them', async () => {
  const pages = [
    [...outcome('', '"1"', ['x', 'y']), ...outcome('x', '"1"', ['old'])],
    [],
    outcome('x', '"2"'),
  ];
  const lookup = await readLookup(source(pages), crawl);
  expect(lookup.absent).toBe(0);
  expect(await lookup.look(crawl, urlOf('x'))).toMatchObject({ state: 'settled', record: { etag: '"2"' } });
  expect(await lookup.look(crawl, urlOf('nothing'))).toBeUndefined();
  expect((await lookup.results.edgesOf(crawl, urlOf(''))).map(({ to }) => to)).toEqual([
    urlOf('x'),
    urlOf('y'),
  ]);
  expect(await lookup.results.edgesOf(crawl, urlOf('x'))).toEqual([]);
  const before = previousCrawl(lookup, crawl, {
    isWhole: lookup.absent === 0,
    hasSameItems: true,
    keepsSame: true,
    job,
  });
  expect(await before.before(page(urlOf('x')))).toEqual({ content: true, capturedAtMs: 7, etag: '"2"' });
  expect(await before.before(page(urlOf('nothing')))).toEqual({ content: false });
  expect((await before.page(urlOf(''), false))?.links).toHaveLength(2);
  await lookup.close();
});

it('finds the items of a page as its last outcome has them, and passes them on', async () => {
  const [record] = outcome('x', '"1"');
  const item = (value: unknown): ResultEntry => ({ ...record!, kind: 'item', item: value }) as ResultEntry;
  const counted = outcome('x', '"2"').map((entry) =>
    entry.kind === 'record' ? { ...entry, record: { ...entry.record, items: 2 } } : entry,
  );
  const pages = [
    [...outcome('x', '"1"'), item('old')],
    [...counted, item({ a: 1 }), item(null)],
  ];
  const lookup = await readLookup(source(pages), crawl);
  expect(await lookup.results.itemsOf(crawl, urlOf('x'))).toEqual([{ a: 1 }, null]);
  expect(await lookup.results.itemsOf(crawl, urlOf('nothing'))).toEqual([]);
  const facts = { isWhole: true, hasSameItems: true, keepsSame: true, job };
  expect((await previousCrawl(lookup, crawl, facts).page(urlOf('x'), false))?.items).toEqual([
    { a: 1 },
    null,
  ]);
  // Made by other rules, they are of no use: the page is asked for without validators.
  const other = previousCrawl(lookup, crawl, { ...facts, hasSameItems: false });
  expect(await other.before(page(urlOf('x')))).toEqual({ content: true, capturedAtMs: 7 });
  await lookup.close();
});

it('says nothing of a URL whose results may be out of reach', async () => {
  const lookup = await readLookup(source([outcome('', '"1"')], 5), crawl);
  expect(lookup.absent).toBe(5);
  const before = previousCrawl(lookup, crawl, {
    isWhole: lookup.absent === 0,
    hasSameItems: true,
    keepsSame: true,
    job,
  });
  expect(await before.before(page(urlOf('elsewhere')))).toBeUndefined();
  expect(await before.before(page(urlOf('')))).toMatchObject({ content: true });
  await lookup.close();
});
