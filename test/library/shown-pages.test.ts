import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { crawl, type CrawlOptions, pageFrom, type PageRecord, replay, type Scraper } from 'webfarer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser } from '../../packages/worker/src/browser/find-browser.ts';

const command = resolve(import.meta.dirname, '../../packages/cli/src/bin.ts');

/** Draws the page from data; without it there is nothing to read. */
const shell = `<!doctype html><title>Shop</title><link rel=icon href="data:,"><main></main><script>
  fetch('/api' + location.pathname).then((answer) => answer.json()).then(({ title, price, links }) => {
    const list = links.map((link) => '<a href="' + link + '">more</a>').join(' ');
    document.querySelector('main').innerHTML = '<h1>' + title + '</h1><b>' + price + '</b>' + list;
    document.title = title;
  });</script>`;
const views: Record<string, object> = {
  '/': { title: 'Start', price: '0', links: ['/p/hammer', '/p/saw'] },
  '/p/hammer': { title: 'Hämmer', price: '7 €', links: ['/'] },
  '/p/saw': { title: 'Saw', price: '9 €', links: ['/p/hammer'] },
};

let home: string;
let server: Server;
let origin: string;
let asked: string[];
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-shown-'));
  asked = [];
  server = createServer(({ url = '/' }, response) => {
    asked.push(url);
    const answer = (type: string, body: string) =>
      response.writeHead(200, { 'content-type': type }).end(body);
    if (url.startsWith('/api')) answer('application/json', JSON.stringify(views[url.slice(4)]));
    else if (url in views) answer('text/html; charset=iso-8859-1', shell);
    else response.writeHead(404).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  rmSync(home, { recursive: true, force: true });
});

interface Item {
  url: string;
  title: string | undefined;
  price: string;
  text: string;
  bytes: number;
  headers: string[];
  /** Of the picture that was taken. */
  seen: string | undefined;
}

function options(changes: Partial<CrawlOptions<Item>> = {}): CrawlOptions<Item> {
  return {
    name: 'shop',
    folder: join(home, 'shop.crawl'),
    seeds: [`${origin}/`],
    contact: 'https://lab.test/crawler',
    render: 'always',
    screenshots: ['view', 'thumbnail'],
    politeness: { gap: '10ms', slowFactor: 0 },
    limits: { minFree: '1MB' },
    fetch: { allowPrivate: [origin] },
    ...changes,
  };
}

/** Takes in all that a handler can see of a page. */
const reads: Scraper<Item> = async (page, { push, follow }) => {
  follow(page.links);
  const $ = await page.$();
  const [price, text] = [$('b').text(), await page.text()];
  const { url, title, body, headers } = page;
  const picture = await page.screenshot();
  const seen = picture && createHash('sha256').update(picture).digest('hex');
  push({ url, title, price, text, bytes: body.length, headers: Object.keys(headers).toSorted(), seen });
};

async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}
const byUrl = (items: Item[]): Item[] => items.toSorted((a, b) => (a.url < b.url ? -1 : 1));
async function cli(...argv: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [command, ...argv], { cwd: home });
  return stdout;
}

describe.skipIf(findBrowser() === undefined)('a page as a browser showed it', () => {
  let items: Item[];
  let records: PageRecord[];
  const folder = () => join(home, 'shop.crawl');
  const recordOf = (path: string) => records.find(({ url }) => url === `${origin}${path}`);

  it('is kept, and a handler that failed on it is run on it again without a request', async () => {
    const failing: Scraper<Item> = (page, tools) => {
      if (page.url.endsWith('/saw')) throw new Error('no price');
      return reads(page, tools);
    };
    const first = await crawl(options({ onPage: failing }));
    expect(first.balance).toMatchObject({ done: 2, failed: 1 });
    const failed = (await collect(first.records)).find(({ reason }) => reason === 'handler');
    expect(await cli('retry', 'shop.crawl', '--reason', 'handler', '--no-run')).toContain('1 URL requeued');
    asked.length = 0;
    const second = await crawl(options({ onPage: reads }));
    expect(asked).toEqual([]);
    expect(second.balance).toMatchObject({ done: 3, failed: 0 });
    items = await collect(second.items);
    records = await collect(second.records);
    expect(byUrl(items).map(({ title, price }) => [title, price])).toEqual([
      ['Start', '0'],
      ['Hämmer', '7 €'],
      ['Saw', '9 €'],
    ]);
    // Each shows another title.
    expect(new Set(items.map(({ seen }) => seen ?? 'none')).size).toBe(3);
    expect(items.map(({ seen }) => seen)).not.toContain(undefined);
    const { rendered, saved, digest } = failed ?? {};
    expect(rendered).toMatchObject({ loaded: 1 });
    expect(recordOf('/p/saw')).toMatchObject({ rendered, saved, digest, title: 'Saw' });
  });

  it('is what a replay runs handlers on', async () => {
    asked.length = 0;
    const to = join(home, 'again');
    const summary = await replay({ onPage: reads }, folder(), { to });
    expect(summary).toMatchObject({ pages: 3, items: 3, failed: 0, notStored: 0 });
    const lines = readFileSync(join(to, 'items.jsonl'), 'utf8').trim().split('\n');
    expect(byUrl(lines.map((line) => JSON.parse(line) as Item))).toEqual(byUrl(items));
    expect(asked).toEqual([]);
  });

  it('is found by search and by pageFrom, in the folder and in the file', async () => {
    asked.length = 0;
    expect(await cli('search', 'shop.crawl', 'Hämmer')).toContain('1 page of 3');
    const url = `${origin}/p/hammer`;
    expect((await pageFrom(folder(), url)).title).toBe('Hämmer');
    const [at] = recordOf('/p/hammer')?.saved ?? [];
    const file = join(folder(), at?.file ?? '');
    const page = await pageFrom(file, at?.offset ?? 0);
    expect((await page.$())('b').text()).toBe('7 €');
    expect(page.url).toBe(url);
    const dom = at?.renditions?.find(({ kind }) => kind === 'dom');
    expect((await pageFrom(file, (at?.offset ?? 0) + (dom?.after ?? 0))).title).toBe('Hämmer');
    const cat = ['warc', 'cat', url, '--folder', 'shop.crawl', '--rendition'];
    expect(await cli(...cat, 'dom')).toContain('<h1>Hämmer</h1>');
    await expect(cli(...cat, 'pdf')).rejects.toThrow(/has no pdf of this page.*It has dom, view, thumbnail/s);
    expect(asked).toEqual([]);
  });

  it('is what a mirror shows, without its scripts', async () => {
    asked.length = 0;
    await cli('export', 'shop.crawl', '--mirror', 'copy');
    const copies = readdirSync(join(home, 'copy'), { recursive: true, encoding: 'utf8' });
    const copy = readFileSync(
      join(home, 'copy', copies.find((name) => /hammer.*html$/.test(name)) ?? ''),
      'utf8',
    );
    expect(copy).toMatch(
      /<h1>Hämmer<\/h1><b>7 €<\/b><a href="[^"/:]*(?:\.\.\/)*[^":]*index\.html">more<\/a>/,
    );
    expect(copy).toContain('<script></script>');
    expect(asked).toEqual([]);
  });

  it('is in the index of the archive', () => {
    const archive = join(folder(), 'archive');
    const index = readFileSync(join(archive, 'index.cdxj'), 'utf8');
    for (const path of Object.keys(views))
      for (const kind of ['dom', 'view', 'thumbnail'])
        expect(index).toContain(`urn:${kind}:${origin}${path} `);
    expect(readdirSync(archive).filter((name) => name.endsWith('.warc.gz'))).not.toEqual([]);
  });

  it('is not made up where it was not kept', async () => {
    const away = join(home, 'files.crawl');
    await crawl(options({ name: 'files', folder: away, save: ['files'], onPage: reads }));
    const summary = await replay({ onPage: reads }, away, { to: join(home, 'none') });
    expect(summary).toMatchObject({ pages: 0, notStored: 3 });
    expect(readFileSync(join(home, 'none', 'problems.jsonl'), 'utf8')).toContain('was not kept');
  });
});
