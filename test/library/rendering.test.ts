import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { crawl, type CrawlOptions, type PageRecord } from 'webfarer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBrowser } from '../../packages/worker/src/browser/find-browser.ts';

const command = resolve(import.meta.dirname, '../../packages/cli/src/bin.ts');

/** One request as the server saw it. */
interface Seen {
  host: string;
  path: string;
  atMs: number;
  endedAtMs: number;
}

const shell = (view: string) => `<!doctype html><title>Shop</title><link rel=icon href="data:,"><main></main>
  <script>window.view = ${JSON.stringify(view)}</script><script src="/app.js"></script>`;
/** Draws every page from data, and takes its words from another host. */
const app = (elsewhere: string) => `
  const words = document.createElement('script');
  words.src = '${elsewhere}/words.js';
  words.onload = async () => {
    const { title, links } = await (await fetch('/api/' + window.view)).json();
    const list = links.map((link) => '<a href="' + link + '">' + label + '</a>').join(' ');
    document.querySelector('main').innerHTML = '<h1>' + title + '</h1>' + list;
  };
  document.head.append(words);`;
const views: Record<string, { title: string; links: string[] }> = {
  start: { title: 'Start', links: ['/p/hammer', '/p/saw', '/private/x'] },
  hammer: { title: 'Hammer', links: ['/'] },
  saw: { title: 'Saw', links: ['/p/hammer'] },
};

/** Pages of three kinds: drawn by scripts, with a script that adds nothing, and without any. */
const each = 12;
const names = ['app', 'text', 'plain'].flatMap((kind) =>
  Array.from({ length: each }, (_, i) => `${kind}-${i}`),
);
const icon = '<link rel=icon href="data:,">';
const mixed = `${icon}<title>Mixed</title>${names.map((name) => `<a href="/mixed/${name}">${name}</a>`).join(' ')}`;
const prose = (path: string) =>
  `${icon}<p>${`The story of ${path}. `.repeat(20)}</p><script src="/count.js"></script>`;

let folder: string;
let server: Server;
let seen: Seen[];
let port: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-rendering-'));
  seen = [];
  server = createServer((request, response) => {
    const [host, path] = [request.socket.localAddress ?? '', request.url ?? ''];
    const one: Seen = { host, path, atMs: performance.now(), endedAtMs: Number.POSITIVE_INFINITY };
    seen.push(one);
    response.once('finish', () => (one.endedAtMs = performance.now()));
    const answer = (type: string, body: string) =>
      response.writeHead(200, { 'content-type': type }).end(body);
    if (path === '/robots.txt') answer('text/plain', 'User-agent: *\nDisallow: /private\n');
    else if (path === '/words.js') answer('text/javascript', "const label = 'more';");
    else if (path === '/app.js') answer('text/javascript', app(`http://127.0.0.2:${port}`));
    else if (path.startsWith('/api/')) answer('application/json', JSON.stringify(views[path.slice(5)]));
    else if (path === '/') answer('text/html', shell('start'));
    else if (path.startsWith('/p/')) answer('text/html', shell(path.slice(3)));
    else if (path === '/mixed/') answer('text/html', mixed);
    else if (path.startsWith('/mixed/app-')) answer('text/html', shell('saw'));
    else if (path.startsWith('/mixed/text-')) answer('text/html', prose(path));
    else if (path.startsWith('/mixed/plain-')) answer('text/html', `<p>${path}</p>`);
    else if (path === '/count.js') answer('text/javascript', 'window.counted = true;');
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

function options(changes: Partial<CrawlOptions> = {}): CrawlOptions {
  return {
    name: 'shop',
    folder: join(folder, 'shop.crawl'),
    seeds: [`http://127.0.0.1:${port}/`],
    contact: 'https://lab.test/crawler',
    politeness: { gap: '100ms', slowFactor: 0 },
    limits: { minFree: '1MB' },
    fetch: { allowPrivate: ['127.0.0.0/8'] },
    ...changes,
  };
}

const pathsOn = (host: string) => seen.filter((one) => one.host === host).map(({ path }) => path);
const documents = ['/', '/p/hammer', '/p/saw'];

it('a site that needs a browser shows one page without it', async () => {
  const { balance } = await crawl(options());
  expect(balance).toMatchObject({ done: 1 });
});

describe.skipIf(findBrowser() === undefined)('render: always', () => {
  it('finds what only scripts show, asks for each page once, and keeps to the rules of both hosts', async () => {
    const titles: string[] = [];
    const result = await crawl({
      ...options({ render: 'always', save: ['warc'] }),
      async onPage(page, { follow }) {
        titles.push((await page.$())('h1').text());
        follow(page.links);
      },
    });
    expect(result.balance).toMatchObject({ known: 4, done: 3, refused: 1, failed: 0 });
    expect(titles.toSorted()).toEqual(['Hammer', 'Saw', 'Start']);
    const own = pathsOn('127.0.0.1');
    for (const path of documents) expect(own.filter((each) => each === path)).toHaveLength(1);
    expect(own).not.toContain('/private/x');
    // Scripts that all pages share are asked for once.
    expect(own.filter((path) => path === '/app.js')).toHaveLength(1);
    expect(pathsOn('127.0.0.2').toSorted()).toEqual(['/robots.txt', '/words.js']);
    // The gap follows the last request of a visit.
    const visits = seen.filter(({ host, path }) => host === '127.0.0.1' && documents.includes(path));
    for (const { atMs } of visits) {
      const before = seen.filter(
        (one) => one.host === '127.0.0.1' && one.atMs < atMs && one.path !== '/robots.txt',
      );
      const last = Math.max(0, ...before.map(({ endedAtMs }) => endedAtMs));
      if (before.length > 0) expect(atMs - last).toBeGreaterThanOrEqual(100);
    }
    const records: PageRecord[] = [];
    for await (const record of result.records) records.push(record);
    const start = records.find(({ url }) => url === `http://127.0.0.1:${port}/`);
    expect(start?.rendered).toMatchObject({ loaded: 3 });
  });

  it('auto: shows the pages that gain by it, tries two of each other kind, and says why', async () => {
    const seeds = [`http://127.0.0.1:${port}/mixed/`];
    const job = options({
      render: 'auto',
      seeds,
      scope: { include: ['/mixed/**'] },
      politeness: { gap: '1ms', slowFactor: 0 },
    });
    const result = await crawl({ ...job, onPage: (page, { follow }) => follow(page.links) });
    expect(result.balance).toMatchObject({ done: 1 + names.length, failed: 0 });
    const asked = ['explain', `${seeds[0]}app-1`, '--folder', join(folder, 'shop.crawl')];
    const { stdout: told } = await promisify(execFile)(process.execPath, [command, ...asked]);
    expect(told).toMatch(/shown in a browser: (to see whether|pages of its kind have more)/);
    const whys: Record<string, number> = {};
    for await (const { url, rendered, renderedWhy } of result.records) {
      const kind = /(app|text|plain)-/.exec(url)?.[1] ?? 'start';
      const what = `${kind} ${renderedWhy} ${rendered ? 'shown' : 'read'}`;
      whys[what] = (whys[what] ?? 0) + 1;
    }
    expect(whys).toEqual({
      'start no-scripts read': 1,
      'plain no-scripts read': each,
      'text sample shown': 2,
      'text gains-nothing read': each - 2,
      'app sample shown': 1,
      'app gains shown': each - 1,
    });
  });

  it('rules by URL: the first that fits decides, and explain names it', async () => {
    const result = await crawl({
      ...options({
        seeds: [`http://127.0.0.1:${port}/mixed/`],
        scope: { include: ['/mixed/*-1'] },
        render: [
          { match: '/mixed/text-*', do: 'always' },
          { match: { regex: '/app-' }, do: 'never' },
          { do: 'auto' },
        ],
      }),
      onPage: (page, { follow }) => follow(page.links),
    });
    const shown: Record<string, unknown> = {};
    for await (const { url, rendered, renderedWhy } of result.records)
      shown[url.split('/').at(-1) ?? ''] = [renderedWhy, rendered !== undefined];
    expect(shown).toEqual({
      '': ['no-scripts', false],
      'text-1': ['rule', true],
      'app-1': ['rule', false],
      'plain-1': ['no-scripts', false],
    });
    const asked = ['explain', `http://127.0.0.1:${port}/mixed/app-1`, '--folder', join(folder, 'shop.crawl')];
    const { stdout: told } = await promisify(execFile)(process.execPath, [command, ...asked]);
    expect(told).toContain('not shown in a browser: the job says so');
    expect(told).toContain('the rule that decides: render: regex /app-: never');
  });
});
