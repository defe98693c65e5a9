import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ChangingSite, startChangingSite } from '../changing-site.fixture.ts';
import { fakeWorld } from '../fake-crawl.fixture.ts';
import { type CrawlOptions, crawl } from '../library.ts';
import { localCrawls } from '../local/local-crawl.ts';
import { runCli } from '../program.ts';
import { searchCrawl } from './search-crawl.ts';
import { ftsQuery } from './words.ts';

let home: string;
let folder: string;
let site: ChangingSite;

/** Page n has the word of every number that divides it: which pages have a word is known without a search. */
const numbers = Array.from({ length: 24 }, (_, n) => n + 1);
const divisors = (n: number) => numbers.filter((d) => n % d === 0);
const pageOf = (n: number) => ({
  body: `<title>Page ${n}</title><p>${divisors(n)
    .map((d) => `divisor${d}x`)
    .join(' ')}</p><script>var hiddenword</script>`,
});

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-search-'));
  folder = join(home, 'x.crawl');
  site = await startChangingSite({
    '/': {
      body: `<title>Start</title>${numbers.map((n) => `<a href="/${n}">${n}</a>`).join(' ')} <a href="/ja">ja</a> <a href="/de">de</a> <a href="/both">both</a>`,
    },
    ...Object.fromEntries(numbers.map((n) => [`/${n}`, pageOf(n)])),
    '/ja': { body: '<meta charset=utf-8><title>天気</title><p>東京都の天気予報は晴れです。' },
    '/de': {
      body: '<meta charset=utf-8><title>Größe</title><p>Ein Überblick über die Straße; the quick brown fox divisor1x.',
    },
    '/both': { body: '<title>Fox hunting</title><p>quick, then brown: no fox' },
  });
});
afterEach(async () => {
  await site.stop();
  rmSync(home, { recursive: true, force: true });
});

const run = (changes: Partial<CrawlOptions> = {}) =>
  crawl({
    name: 'x',
    folder,
    seeds: [`${site.origin}/`],
    politeness: { gap: '1ms', slowFactor: 0 },
    fetch: { allowPrivate: [site.origin], retries: { count: 0 } },
    limits: { minFree: '1MB' },
    ...changes,
  });

async function found(words: string): Promise<string[]> {
  const { hits, total } = await searchCrawl(folder, words, { limit: 100 });
  expect(total).toBe(hits.length);
  return hits.map(({ url }) => url.slice(site.origin.length)).toSorted();
}

test('finds exactly the pages that have the words', async () => {
  await run();
  for (const d of [1, 5, 7, 12, 24]) {
    const pages = numbers.filter((n) => n % d === 0).map((n) => `/${n}`);
    expect(await found(`divisor${d}x`)).toEqual([...pages, ...(d === 1 ? ['/de'] : [])].toSorted());
  }
  expect(await found('divisor4x divisor6x')).toEqual(['/12', '/24']);
  expect(await found('divisor8x -divisor3x')).toEqual(['/16', '/8']);
  const begins = numbers.filter((n) => divisors(n).some((d) => String(d).startsWith('2')));
  expect(await found('divisor2*')).toEqual(begins.map((n) => `/${n}`).toSorted());
  expect(await found('hiddenword')).toEqual([]);
});

test('languages, phrases, ranks and snippets', async () => {
  await run();
  expect(await found('uberblick STRASSE')).toEqual([]);
  expect(await found('uberblick straße')).toEqual(['/de']);
  expect(await found('天気')).toEqual(['/ja']);
  expect(await found('京都の天')).toEqual(['/ja']);
  expect(await found('気天')).toEqual([]);
  expect(await found('"quick brown"')).toEqual(['/de']);
  const { hits } = await searchCrawl(folder, 'fox');
  expect(hits.map(({ title }) => title)).toEqual(['Fox hunting', 'Größe']);
  expect(hits[1]?.snippet).toContain('the quick brown [fox] divisor1x');
  const [weather] = (await searchCrawl(folder, '天気')).hits;
  expect(weather?.snippet).toBe('東京都の[天気]予報は晴れです。');
  expect(ftsQuery('" - *')).toBeUndefined();
  for (const odd of ['AND', 'a OR (b', 'NEAR(x', '"open', 'title:x', "it's", '-only', 'x:*'])
    await searchCrawl(folder, odd).catch((error: Error) => expect(error.message).toContain('no word'));
});

test('what stands on every page beside its content is not found', async () => {
  const prose = (word: string) =>
    `<p>${`The ${word} lives in this article, which is long enough to be one. `.repeat(8)}</p>`;
  const around = (title: string, word: string) =>
    `<title>${title}</title><header><nav><ul><li><a href="/a">careersword</a></li><li><a href="/b">pressword</a></li></ul></nav></header><main><h1>${title}</h1>${prose(word)}</main><footer><p>imprintword</p></footer>`;
  site.pages['/'] = { body: around('Start', 'walrus') };
  site.pages['/a'] = { body: around('A', 'marmot') };
  site.pages['/b'] = { body: '<title>B</title><nav><a href="/a">onlylinks</a></nav>' };
  await run();
  expect(await found('careersword')).toEqual([]);
  expect(await found('imprintword')).toEqual([]);
  expect(await found('marmot')).toEqual(['/a']);
  // All that this page has.
  expect(await found('onlylinks')).toEqual(['/b']);
});

test('the index takes in what was crawled since, and begins anew with a new crawl', async () => {
  await run({ limits: { pages: 10, minFree: '1MB' } });
  const first = await searchCrawl(folder, 'divisor1x');
  expect(first).toMatchObject({ added: first.pages });
  expect((await searchCrawl(folder, 'divisor1x')).added).toBe(0);
  await run();
  const second = await searchCrawl(folder, 'divisor1x', { limit: 100 });
  expect(first.pages + second.added).toBe(second.pages);
  expect([second.total, second.pages]).toEqual([25, 28]);
  site.pages['/24'] = { body: '<p>nothing of the kind' };
  await run({ fresh: true });
  const third = await searchCrawl(folder, 'divisor24x');
  expect(third).toMatchObject({ total: 0, pages: 28, added: 28 });
});

test('a page that is unchanged in a recrawl is found by what the earlier crawl has kept', async () => {
  await run();
  const { folder: second } = await run({ recrawl: true });
  expect((await searchCrawl(second, 'divisor24x')).hits.map(({ url }) => url)).toEqual([`${site.origin}/24`]);
});

test('the command lists pages and counts, for people and as JSON', async () => {
  await run();
  const cli = async (...words: string[]) => {
    const { context, out, err } = fakeWorld(home, {}, words);
    return { exit: await runCli(words, { ...context, local: localCrawls }), out: out(), err: err() };
  };
  const shown = await cli('search', 'x.crawl', 'divisor2x', '--limit', '3');
  expect(shown.exit).toBe(0);
  expect(shown.out.match(/Page \d+/g)).toHaveLength(3);
  expect(shown.out).toContain('12 pages of 28 in ./x.crawl, 3 shown');
  const json = JSON.parse((await cli('search', 'x.crawl', 'divisor24x', '--json')).out) as {
    hits: unknown[];
  };
  expect(json).toMatchObject({ total: 1, pages: 28, hits: [{ title: 'Page 24' }] });
  expect((await cli('search', 'x.crawl', '!!')).err).toContain('There is no word to search for');
});
