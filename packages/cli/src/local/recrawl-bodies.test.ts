import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PageRecord } from '@webfarer/protocol';
import { readWarc } from '@webfarer/worker/archive';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pageFrom } from '../handlers/page-from.ts';
import { type CrawlOptions, crawl } from '../library.ts';
import { readFolder } from '@webfarer/coordinator';

interface Served {
  body: string;
  headers?: Record<string, string>;
}

let home: string;
let server: Server;
let origin: string;
let pages: Record<string, Served | undefined>;
let asked: string[];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-recrawl-bodies-'));
  asked = [];
  server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
  rmSync(home, { recursive: true, force: true });
});

/** Every page has an ETag, and is asked for in comparison to it where that is sent. */
function answer({ url = '/', method, headers }: IncomingMessage, response: ServerResponse): void {
  const page = pages[url];
  const etag = `"${page?.body.length}"`;
  const status = !page ? 404 : headers['if-none-match'] === etag ? 304 : 200;
  if (url !== '/robots.txt') asked.push(`${method} ${url} ${status}`);
  response.writeHead(status, page ? { 'content-type': 'text/html', etag, ...page.headers } : {});
  response.end(status === 200 && method === 'GET' ? page?.body : undefined);
}

function options(changes: Partial<CrawlOptions> = {}): CrawlOptions {
  return {
    name: 'site',
    folder: join(home, 'site.crawl'),
    seeds: [`${origin}/`],
    politeness: { gap: '2ms', slowFactor: 0 },
    fetch: { allowPrivate: [origin], retries: { count: 0 } },
    limits: { minFree: '1MB' },
    contact: 'lab@lab.test',
    ...changes,
  };
}

const fetched = () => asked.splice(0).toSorted();

async function recordsOf(folder: string): Promise<Map<string, PageRecord>> {
  const reader = await readFolder(folder);
  const found = new Map<string, PageRecord>();
  try {
    for await (const record of reader.results.records(reader.crawl))
      found.set(record.url.slice(origin.length), record);
  } finally {
    await reader.close();
  }
  return found;
}

interface Archived {
  type: string;
  url: string;
  date: string;
  refersTo: string | undefined;
}

/** Responses and revisits of the archives of a crawl. */
async function archivedIn(folder: string): Promise<Archived[]> {
  const files = new Set(
    [...(await recordsOf(folder)).values()].flatMap(({ saved = [] }) => saved.map(({ file }) => file)),
  );
  const found: Archived[] = [];
  for (const file of files)
    for await (const record of readWarc(join(folder, file))) {
      const { type } = record;
      const field = (name: string) => record.field(name);
      if (type !== 'response' && type !== 'revisit') continue;
      const refers = field('warc-refers-to-target-uri');
      found.push({
        type,
        url: field('warc-target-uri')?.slice(origin.length) ?? '',
        date: field('warc-date') ?? '',
        refersTo: refers && `${refers.slice(origin.length)} ${field('warc-refers-to-date')}`,
      });
    }
  return found;
}

const kinds = (found: Archived[]) => found.map(({ type, url }) => `${type} ${url}`).toSorted();

test('what the crawl before did not keep is fetched whole, and stored', async () => {
  pages = { '/': { body: '<a href="/a">a</a>' }, '/a': { body: 'a page' } };
  await crawl(options({ save: ['none'] }));
  fetched();
  const second = await crawl(options({ save: ['warc'], recrawl: true }));
  expect(fetched()).toEqual(['GET / 200', 'GET /a 200']);
  expect(kinds(await archivedIn(second.folder))).toEqual(['response /', 'response /a']);
  const third = await crawl(options({ save: ['warc'], recrawl: true }));
  expect(fetched()).toEqual(['GET / 304', 'GET /a 304']);
  expect(kinds(await archivedIn(third.folder))).toEqual(['revisit /', 'revisit /a']);
  await crawl(options({ save: ['warc', 'files'], recrawl: true }));
  expect(fetched()).toEqual(['GET / 200', 'GET /a 200']);
});

test('what was not kept because of its type is fetched whole once the job keeps it', async () => {
  pages = { '/': { body: '<a href="/a">a</a>' }, '/a': { body: 'a page' } };
  const fetch = (...save: string[]) => ({
    fetch: { allowPrivate: [origin], retries: { count: 0 }, types: { save } },
  });
  const first = await crawl(options(fetch('image/*')));
  expect(await archivedIn(first.folder)).toEqual([]);
  expect((await recordsOf(first.folder)).get('/a')?.notSaved).toBe('type');
  fetched();
  const second = await crawl(options({ ...fetch('image/*'), recrawl: true }));
  expect(fetched()).toEqual(['GET / 304', 'GET /a 304']);
  expect(await archivedIn(second.folder)).toEqual([]);
  expect((await recordsOf(second.folder)).get('/a')?.notSaved).toBe('type');
  const third = await crawl(options({ ...fetch('text/*'), recrawl: true }));
  expect(fetched()).toEqual(['GET / 200', 'GET /a 200']);
  expect(kinds(await archivedIn(third.folder))).toEqual(['response /', 'response /a']);
  await crawl(options({ ...fetch('text/*'), recrawl: true }));
  expect(fetched()).toEqual(['GET / 304', 'GET /a 304']);
});

test('a link that was only checked is fetched whole once it is a page of the crawl', async () => {
  pages = {
    '/in/': { body: '<a href="/out">out</a>' },
    '/out': { body: '<a href="/in/b">b</a>' },
    '/in/b': { body: 'b' },
  };
  const seeds = [`${origin}/in/`];
  const scraper = { site: { check: true } };
  const save: CrawlOptions['save'] = ['none'];
  await crawl(options({ seeds, scraper, save, scope: { stay: 'path' } }));
  expect(fetched()).toEqual(['GET /in/ 200', 'HEAD /out 200']);
  await crawl(options({ seeds, scraper, save, recrawl: true }));
  expect(fetched()).toEqual(['GET /in/ 304', 'GET /in/b 200', 'GET /out 200']);
});

test('a page that was cut is fetched again, with the links behind the cut', async () => {
  const body = `<p>${'x'.repeat(4_000)}</p><a href="/a">a</a>`;
  pages = { '/': { body }, '/a': { body: 'a page' } };
  const fetch = { allowPrivate: [origin], retries: { count: 0 } };
  await crawl(options({ fetch: { ...fetch, maxBody: '2kB' } }));
  expect(fetched()).toEqual(['GET / 200']);
  await crawl(options({ fetch: { ...fetch, maxBody: '10MB' }, recrawl: true }));
  expect(fetched()).toEqual(['GET / 200', 'GET /a 200']);
});

test('what says noarchive is not kept: not as a page, an image or an error, and not when it is unchanged', async () => {
  const headers = { 'x-robots-tag': 'noarchive' };
  pages = {
    '/': { body: '<meta name="robots" content="noarchive"><a href="/a">a</a><img src="/i.png">' },
    '/a': { body: 'a page' },
    '/i.png': { body: '\x89PNG', headers: { ...headers, 'content-type': 'image/png' } },
  };
  const scope = { requisites: true };
  const first = await crawl(options({ scope }));
  expect(kinds(await archivedIn(first.folder))).toEqual(['response /a']);
  expect((await recordsOf(first.folder)).get('/i.png')).toMatchObject({
    signals: ['x-robots-tag: noarchive'],
    notSaved: 'noarchive',
  });
  fetched();
  const second = await crawl(options({ scope, recrawl: true }));
  expect(fetched()).toEqual(['GET / 304', 'GET /a 304', 'GET /i.png 304']);
  expect(kinds(await archivedIn(second.folder))).toEqual(['revisit /a']);
});

test('a page with the bytes of another one refers to that one, also in the next crawl', async () => {
  const body = `<p>${'same '.repeat(1_000)}</p>`;
  pages = { '/': { body: '<a href="/a">a</a><a href="/b">b</a>' }, '/a': { body }, '/b': { body } };
  const first = await crawl(options());
  const written = await archivedIn(first.folder);
  expect(kinds(written)).toEqual([
    'response /',
    expect.stringMatching('^response /[ab]$'),
    expect.stringMatching('^revisit /[ab]$'),
  ]);
  const whole = new Set(
    written.filter(({ type }) => type === 'response').map(({ url, date }) => `${url} ${date}`),
  );
  const second = await crawl(options({ recrawl: true }));
  const third = await crawl(options({ recrawl: true }));
  for (const { folder } of [second, third]) {
    const again = await archivedIn(folder);
    expect(kinds(again)).toEqual(['revisit /', 'revisit /a', 'revisit /b']);
    expect(again.filter(({ refersTo = '' }) => !whole.has(refersTo))).toEqual([]);
  }
});

test('its body is found also where the page that it refers to is gone meanwhile', async () => {
  const body = `<p>${'same '.repeat(1_000)}</p>`;
  pages = { '/': { body: '<a href="/a">a</a><a href="/b">b</a>' }, '/a': { body }, '/b': { body } };
  const first = await crawl(options());
  const [revisit] = (await archivedIn(first.folder)).filter(({ type }) => type === 'revisit');
  const copy = revisit?.url ?? '';
  pages[revisit?.refersTo?.split(' ')[0] ?? ''] = undefined;
  await crawl(options({ recrawl: true }));
  const third = await crawl(options({ recrawl: true }));
  const page = await pageFrom(third.folder, `${origin}${copy}`);
  expect([page.url, page.body.toString()]).toEqual([`${origin}${copy}`, body]);
});
