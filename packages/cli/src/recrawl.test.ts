import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ChangingSite, startChangingSite } from './changing-site.fixture.ts';
import type { ItemChange, Summary } from './crawl/crawl-run.ts';
import { type CrawlOptions, crawl } from './library.ts';
import { readFolder } from '@webfarer/coordinator';

let home: string;
let site: ChangingSite;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-recrawl-'));
  site = await startChangingSite({
    '/': { body: '<a href="/list">list</a> <a href="/plain">plain</a> <a href="/old">old</a>' },
    '/list': { body: '<a href="/p/1">one</a> <a href="/p/2">two</a> <a href="/about">about</a>' },
    '/p/1': { body: '<h1>One</h1><img src="/i.png">' },
    '/p/2': { body: '<h1>Two</h1>' },
    '/plain': { body: '<p>no validators here', plain: true },
    '/old': { body: '<p>soon gone' },
    '/about': { body: '<p>about' },
  });
});
afterEach(async () => {
  await site.stop();
  rmSync(home, { recursive: true, force: true });
});

function options(changes: Partial<CrawlOptions> = {}): CrawlOptions {
  return {
    name: 'shop',
    folder: join(home, 'shop.crawl'),
    seeds: [`${site.origin}/`],
    politeness: { gap: '2ms', slowFactor: 0 },
    fetch: { allowPrivate: [site.origin], retries: { count: 0 } },
    limits: { minFree: '1MB' },
    ...changes,
  };
}

async function changesOf(folder: string, than?: string): Promise<string[]> {
  const reader = await readFolder(folder);
  try {
    const rows: string[] = [];
    for await (const { url, change, why } of reader.changes(than))
      rows.push(`${change} ${url.slice(site.origin.length)}${why === undefined ? '' : ` (${why})`}`);
    return rows.toSorted();
  } finally {
    await reader.close();
  }
}

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const value of values) found.push(value);
  return found;
}

const statuses = () => site.asked.map(({ path, status }) => `${path} ${status}`).toSorted();

test('a recrawl asks only for what changed, finds all links again and names the changes', async () => {
  const first = await crawl(options());
  expect(first.balance.done).toBe(7);
  site.asked.length = 0;
  site.pages['/p/2'] = { body: '<h1>Two, rewritten</h1><a href="/p/3">three</a>' };
  site.pages['/p/3'] = { body: '<h1>Three</h1>' };
  site.pages['/old'] = undefined;
  const second = await crawl(options({ recrawl: true }));
  expect(basename(second.folder)).toBe('shop.2.crawl');
  expect(statuses()).toEqual([
    '/ 304',
    '/about 304',
    '/list 304',
    '/old 404',
    '/p/1 304',
    '/p/2 200',
    '/p/3 200',
    '/plain 200',
  ]);
  expect(second.snapshot.byReason).toMatchObject({ 'not-modified': 4, ok: 3, 'http-4xx': 1 });
  expect(await changesOf(second.folder)).toEqual([
    'changed /p/2',
    'gone /old (answered 404)',
    'new /p/3',
    'unchanged /',
    'unchanged /about',
    'unchanged /list',
    'unchanged /p/1',
    'unchanged /plain',
  ]);
});

test('any two crawls can be compared, and say the same as a recrawl would', async () => {
  const first = await crawl(options());
  site.pages['/p/2'] = { body: '<h1>Two, rewritten</h1><a href="/p/3">three</a>' };
  site.pages['/p/3'] = { body: '<h1>Three</h1>' };
  site.pages['/old'] = undefined;
  const other = await crawl(options({ name: 'other', folder: join(home, 'other.crawl') }));
  const recrawl = await crawl(options({ recrawl: true }));
  const found = await changesOf(other.folder, first.folder);
  expect(found).toContain('gone /old (answered 404)');
  expect(found).toEqual(await changesOf(recrawl.folder));
  expect(await changesOf(recrawl.folder, first.folder)).toEqual(found);
  const backwards = await changesOf(first.folder, other.folder);
  expect(backwards.filter((row) => !row.startsWith('unchanged'))).toEqual([
    'changed /p/2',
    'gone /p/3 (no longer linked)',
    'new /old',
  ]);
});

test('the next recrawl starts from the last one, and sees what is no longer linked', async () => {
  await crawl(options());
  await crawl(options({ recrawl: true }));
  site.asked.length = 0;
  site.pages['/list'] = { body: '<a href="/p/1">only one</a>' };
  const third = await crawl(options({ recrawl: true }));
  expect(basename(third.folder)).toBe('shop.3.crawl');
  expect(statuses()).toEqual(['/ 304', '/list 200', '/old 304', '/p/1 304', '/plain 200']);
  expect(await changesOf(third.folder)).toEqual([
    'changed /list',
    'gone /about (no longer linked)',
    'gone /p/2 (no longer linked)',
    'unchanged /',
    'unchanged /old',
    'unchanged /p/1',
    'unchanged /plain',
  ]);
  // Plain `crawl` means the newest: nothing is left to do.
  site.asked.length = 0;
  expect((await crawl(options())).folder).toBe(third.folder);
  expect(site.asked).toEqual([]);
});

test("a scraper's own choices and labels are kept, and its items are complete", async () => {
  const own: Partial<CrawlOptions> = {
    onPage(page, { follow, push }) {
      push({ path: page.url.slice(site.origin.length), label: page.label });
      follow(page.links.matching('/list'));
      follow(page.links.matching('/p/*'), { label: 'product' });
      if (page.label === 'product') follow('/about', { label: 'named' });
    },
  };
  await crawl(options(own));
  const asked = statuses();
  expect(asked).toEqual(['/ 200', '/about 200', '/list 200', '/p/1 200', '/p/2 200']);
  site.asked.length = 0;
  site.pages['/p/2'] = { body: '<h1>Two, rewritten</h1>' };
  const { items } = await crawl(options({ ...own, recrawl: true }));
  expect(statuses()).toEqual(['/ 304', '/about 304', '/list 304', '/p/1 304', '/p/2 200']);
  const found = (await all(items)) as { path: string; label?: string }[];
  expect(found.map(({ path, label }) => `${path} ${label}`).toSorted()).toEqual([
    '/ undefined',
    '/about named',
    '/list undefined',
    '/p/1 product',
    '/p/2 product',
  ]);
});

/** A product a page, `name price`, and a list of others on `/list`. */
const products: Partial<CrawlOptions> = {
  async onPage(page, { follow, push }) {
    follow(page.links.matching('/list', '/p/*', '/plain'));
    const $ = await page.$();
    const [name, price] = $('h1').text().split(' ');
    if (name) push({ name, price: Number(price) });
    $('li').each((_, li) => push({ name: $(li).text(), price: 0 }));
  },
};

async function marked(items: Summary['itemChanges']): Promise<string[]> {
  const rows = (await all(items)).map(({ change, page, item, before, why }) => {
    const said = [item, ...(before === undefined ? [] : [before])] as { name: string; price: number }[];
    const words = said.map(({ name, price }) => `${name} ${price}`).join(' was ');
    return `${change} ${page.slice(site.origin.length)} ${words}${why === undefined ? '' : ` (${why})`}`;
  });
  return rows.toSorted();
}

function shopPages(): void {
  Object.assign(site.pages, {
    '/': {
      body: '<a href="/list">l</a><a href="/p/1">1</a><a href="/p/2">2</a><a href="/p/3">3</a><a href="/p/4">4</a><a href="/plain">',
    },
    '/list': { body: '<li>A<li>B<li>C' },
    '/p/1': { body: '<h1>Cup 1</h1>' },
    '/p/2': { body: '<h1>Pot 2</h1>' },
    '/p/3': { body: '<h1>Pan 3</h1>' },
    '/p/4': { body: '<h1>Jug 4</h1>' },
    '/plain': { body: '<h1>Tin 5</h1>', plain: true },
  });
}

test('every item of a recrawl is marked, whatever its page answered', async () => {
  shopPages();
  const first = await crawl(options(products));
  expect(await marked(first.itemChanges)).toEqual([]);
  site.pages['/list'] = { body: '<li>B<li>C<li>D' };
  site.pages['/p/2'] = { body: '<h1>Pot 20</h1>' };
  site.pages['/p/3'] = undefined;
  site.pages['/p/4'] = { body: '<p>sold out' };
  const second = await crawl(options({ ...products, recrawl: true }));
  const expected = [
    'changed /p/2 Pot 20 was Pot 2',
    'gone /list A 0 (its page no longer has it)',
    'gone /p/3 Pan 3 (answered 404)',
    'gone /p/4 Jug 4 (its page no longer has it)',
    'new /list D 0',
    'same /list B 0',
    'same /list C 0',
    'same /p/1 Cup 1',
    'same /plain Tin 5',
  ];
  expect(await marked(second.itemChanges)).toEqual(expected);
  expect(await all(second.items)).toHaveLength(6);
  const lines = readFileSync(join(second.folder, 'item-changes.jsonl'), 'utf8').trim().split('\n');
  expect(await marked(fromLines(lines))).toEqual(expected);
  expect(existsSync(join(first.folder, 'item-changes.jsonl'))).toBe(false);
  // The next one starts from the last, also for what was carried over.
  const third = await crawl(options({ ...products, recrawl: true }));
  expect((await marked(third.itemChanges)).filter((row) => !row.startsWith('same '))).toEqual([]);
  expect(await all(third.itemChanges)).toHaveLength(6);
});

async function* fromLines(lines: string[]): Summary['itemChanges'] {
  for (const line of lines) yield JSON.parse(line) as ItemChange;
}

test('with a key an item may move to another page, and trouble makes nothing gone', async () => {
  shopPages();
  await crawl(options({ ...products, itemKey: 'name' }));
  site.pages['/list'] = { body: '<li>A<li>B<li>Cup' };
  site.pages['/p/1'] = { body: '<li>C' };
  site.failing.add('/p/2');
  const { itemChanges } = await crawl(options({ ...products, itemKey: 'name', recrawl: true }));
  expect(await marked(itemChanges)).toEqual([
    'changed /list Cup 0 was Cup 1',
    'same /list A 0',
    'same /list B 0',
    'same /p/1 C 0',
    'same /p/3 Pan 3',
    'same /p/4 Jug 4',
    'same /plain Tin 5',
    'unclear /p/2 Pot 2 (failed: http-5xx)',
  ]);
});

test('a recrawl with other fields fetches every page, because the items of before are not those', async () => {
  shopPages();
  const extract = (name: string) => [{ pages: '/p/*', fields: { [name]: { css: 'h1', required: true } } }];
  await crawl(options({ extract: extract('name') }));
  site.asked.length = 0;
  await crawl(options({ extract: extract('name'), recrawl: true }));
  expect(site.asked.filter(({ status }) => status === 304)).toHaveLength(6);
  site.asked.length = 0;
  const { items } = await crawl(options({ extract: extract('title'), recrawl: true }));
  expect(site.asked.filter(({ status }) => status !== 200)).toEqual([]);
  const found = (await all(items)) as { title: string }[];
  expect(found.map(({ title }) => title).toSorted()).toEqual(['Cup 1', 'Jug 4', 'Pan 3', 'Pot 2']);
});

test('a recrawl that was stopped goes on in its folder, also with --recrawl', async () => {
  await crawl(options());
  site.asked.length = 0;
  const run = crawl(options({ recrawl: true, politeness: { gap: '100ms', slowFactor: 0 } }));
  for await (const event of run) if (event.type === 'record') break;
  await run.stop();
  expect((await run).state).toBe('stopped');
  const again = await crawl(options({ recrawl: true }));
  expect(basename(again.folder)).toBe('shop.2.crawl');
  expect(again.state).toBe('finished');
  expect(site.asked.filter(({ status }) => status === 304)).toHaveLength(6);
  expect(site.asked).toHaveLength(7);
  expect(existsSync(join(home, 'shop.3.crawl'))).toBe(false);
});

test('without the earlier folder everything is fetched whole, and a first crawl is an ordinary one', async () => {
  const first = await crawl(options({ recrawl: true }));
  expect(basename(first.folder)).toBe('shop.crawl');
  const run = crawl(options({ recrawl: true, limits: { minFree: '1MB', pages: 2 } }));
  expect((await run).state).toBe('limited');
  rmSync(first.folder, { recursive: true });
  site.asked.length = 0;
  const rest = await crawl(options());
  expect([basename(rest.folder), rest.state]).toEqual(['shop.2.crawl', 'finished']);
  expect(site.asked.every(({ status, headers }) => status === 200 && !headers['if-none-match'])).toBe(true);
  expect(await changesOf(rest.folder)).toEqual([]);
});

test('to start over and to recrawl are two things', async () => {
  await expect(crawl(options({ recrawl: true, fresh: true }))).rejects.toThrow('not both');
});
