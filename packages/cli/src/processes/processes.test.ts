import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CrawlOptions, crawl } from '../library.ts';

/** Pages on each of a few loopback addresses, linked in a circle and across. */
const hosts = 6;
const pagesPerHost = 12;
let home: string;
let port: number;
let asked: string[];
let cookies: (string | undefined)[];
/** What the site does with a request before it is answered. */
let before: (count: number) => void | Promise<void>;

const server = createServer((request, response) => {
  if (request.url === '/robots.txt') return void response.writeHead(404).end();
  const url = `http://${request.socket.localAddress}:${port}${request.url}`;
  asked.push(url);
  cookies.push(request.headers.cookie);
  if (request.headers['if-none-match'] === '"same"') return void response.writeHead(304).end();
  void Promise.resolve(before(asked.length)).then(() => answer(url, response));
});

// A request that meets the server's closing of an idle connection fails, and nothing is tried again here.
server.keepAliveTimeout = 120_000;

const pageUrl = (host: number, page: number) => `http://127.0.0.${1 + (host % hosts)}:${port}/page/${page}`;

function answer(url: string, response: ServerResponse): void {
  const page = Number(/\d+$/.exec(url)?.[0] ?? 0);
  const links = Array.from({ length: hosts }, (_, host) =>
    pageUrl(host, Math.min(page + 1, pagesPerHost - 1)),
  );
  const body = `<title>${url}</title>${links.map((to) => `<a href="${to}">x</a>`).join(' ')}`;
  const headers = { 'content-type': 'text/html', 'set-cookie': 'been=here; Path=/', etag: '"same"' };
  response.writeHead(200, headers).end(body);
}

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-processes-'));
  asked = [];
  cookies = [];
  before = () => {};
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(home, { recursive: true, force: true });
});

function options(changes: Partial<CrawlOptions> = {}): CrawlOptions {
  return {
    name: 'few',
    folder: join(home, 'few.crawl'),
    seeds: Array.from({ length: hosts }, (_, host) => pageUrl(host, 0)),
    contact: 'https://lab.test/crawler',
    scope: { stay: 'web' },
    politeness: { gap: '3ms', slowFactor: 0 },
    limits: { minFree: '1MB' },
    fetch: { allowPrivate: ['127.0.0.0/8'], retries: { count: 0 } },
    processes: 2,
    ...changes,
  };
}

const everyPage = () =>
  Array.from({ length: hosts * pagesPerHost }, (_, i) => pageUrl(i, Math.floor(i / hosts))).toSorted();

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}

/** The worker processes that a process has started. */
function workersOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.map(Number).filter((child) => commandOf(child).includes('worker-main'));
}

/** Empty for one that has ended since it was listed. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

test('two processes crawl what one would: pages, items, archives, files and cookies', {
  timeout: 60_000,
}, async () => {
  const scraper = join(home, 'titles.mjs');
  writeFileSync(
    scraper,
    'export function onPage(page, { follow, push }) { push({ title: page.url, pid: process.pid }); follow(page.links); }',
  );
  const save: CrawlOptions['save'] = ['warc', { files: { name: '{path}' } }];
  // Slow enough that the process which starts later finds something left.
  before = () => later(250);
  const { state, balance, items, records, snapshot } = await crawl(options({ scraper, save }));
  expect(state).toBe('finished');
  expect(balance).toMatchObject({ done: hosts * pagesPerHost, queued: 0, failed: 0 });
  expect(asked.toSorted()).toEqual(everyPage());
  const found = (await all(items)) as { title: string; pid: number }[];
  expect(found.map(({ title }) => title).toSorted()).toEqual(everyPage());
  const pids = new Set(found.map(({ pid }) => pid));
  expect(pids.size).toBe(2);
  expect(pids.has(process.pid)).toBe(false);

  // Different URLs want the same file name, in both processes: each has one of its own.
  const files = (await all(records)).flatMap(({ saved = [] }) => saved.map(({ file }) => file));
  expect(new Set(files.filter((file) => file.startsWith('files/'))).size).toBe(hosts * pagesPerHost);
  const archives = readdirSync(join(home, 'few.crawl', 'archive')).filter((name) =>
    name.endsWith('.warc.gz'),
  );
  expect(archives.map((name) => /-p\d-/.exec(name)?.[0])).toEqual(['-p1-', '-p2-']);
  expect(snapshot.archive.files).toBe(archives.length + hosts * pagesPerHost);
  const index = readFileSync(join(home, 'few.crawl', 'archive', 'index.cdxj'), 'utf8')
    .trim()
    .split('\n');
  expect(index).toHaveLength(hosts * pagesPerHost);
  // A host is asked by whoever has its lease; its cookie was set only once.
  expect(cookies.filter((cookie) => cookie === undefined)).toHaveLength(hosts);
});

test('a process that is killed loses nothing: its pages are fetched again, and recorded once', {
  timeout: 60_000,
}, async () => {
  // Those of an earlier crawl may still be ending.
  const earlier = workersOf(process.pid);
  const run = crawl(options());
  const lost: string[] = [];
  let killed: number | undefined;
  const events = (async () => {
    for await (const event of run) if (event.type === 'worker-lost') lost.push(event.text);
  })();
  before = (count) => {
    if (count !== 20) return;
    killed = workersOf(process.pid).findLast((pid) => !earlier.includes(pid));
    if (killed !== undefined) process.kill(killed, 'SIGKILL');
  };
  const { state, balance, records } = await run;
  await events;
  expect(killed).toBeDefined();
  expect(state).toBe('finished');
  expect(lost).toEqual([expect.stringContaining('ended unexpectedly (SIGKILL)')]);
  expect(balance).toMatchObject({ done: hosts * pagesPerHost, queued: 0, leased: 0 });
  expect((await all(records)).map(({ url }) => url as string).toSorted()).toEqual(everyPage());
  expect([...new Set(asked)].toSorted()).toEqual(everyPage());
});

test('worker processes are gone when the one that started them is killed, and the crawl goes on', {
  timeout: 60_000,
}, async () => {
  const script = join(home, 'crawl.mjs');
  const library = join(import.meta.dirname, '..', 'library.ts');
  writeFileSync(
    script,
    `import { crawl } from ${JSON.stringify(library)}; await crawl(${JSON.stringify(options())});`,
  );
  const parent = spawn(process.execPath, [script], { stdio: 'inherit' });
  let workers: number[] = [];
  const killed = new Promise((resolve) => parent.once('exit', resolve));
  before = (count) => {
    if (count !== 20) return;
    workers = workersOf(parent.pid ?? 0);
    parent.kill('SIGKILL');
  };
  await killed;
  expect(workers).toHaveLength(2);
  await expect
    .poll(() => workers.filter((pid) => existsSync(`/proc/${pid}`)), { timeout: 30_000 })
    .toEqual([]);
  const { state, balance } = await crawl(options());
  expect(state).toBe('finished');
  expect(balance.done).toBe(hosts * pagesPerHost);
});

test('pausing, going on and stopping reach every process', { timeout: 60_000 }, async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  before = (count) => (count > 20 ? held : undefined);
  const run = crawl(options());
  await expect.poll(() => asked.length, { timeout: 30_000 }).toBeGreaterThan(20);
  await expect.poll(async () => (await run.snapshot()).inFlight).toBeGreaterThan(0);
  await run.pause();
  release();
  await expect.poll(async () => (await run.snapshot()).balance.leased).toBe(0);
  const { balance } = await run.snapshot();
  expect(balance.queued).toBeGreaterThan(0);
  await run.resume();
  const done = async () => (await run.snapshot()).balance.done;
  await expect.poll(done, { timeout: 30_000 }).toBeGreaterThan(balance.done);
  await run.stop();
  expect((await run).balance).toMatchObject({ leased: 0 });
  expect(workersOf(process.pid)).toEqual([]);
  expect((await crawl(options({ processes: 1 }))).balance.done).toBe(hosts * pagesPerHost);
  expect(new Set(asked).size).toBe(asked.length);
});

test('a limit holds over all processes together', { timeout: 60_000 }, async () => {
  const { state, balance, limitedBy } = await crawl(options({ limits: { pages: 25, minFree: '1MB' } }));
  expect({ state, limitedBy, done: balance.done }).toEqual({
    state: 'limited',
    limitedBy: 'pages',
    done: 25,
  });
});

test('a recrawl asks each page as it was then, whichever process has it now', {
  timeout: 60_000,
}, async () => {
  await crawl(options());
  const { balance, records } = await crawl(options({ recrawl: true }));
  expect(balance).toMatchObject({ done: hosts * pagesPerHost, queued: 0 });
  const seen = (await all(records)).map(({ reason, change, links }) => ({ reason, change, links }));
  expect(new Set(seen.map((one) => JSON.stringify(one)))).toEqual(
    new Set([JSON.stringify({ reason: 'not-modified', change: 'unchanged', links: hosts })]),
  );
});

test('functions cannot go to another process: the error says what to do', { timeout: 60_000 }, async () => {
  const refused = crawl(options({ onPage: () => {} }));
  await expect(refused).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('onPage') as string,
  });
  await expect(refused).rejects.toHaveProperty('next', expect.stringContaining("scraper: './my-scraper.ts'"));
});

test('a scraper that cannot be loaded is told before anything is fetched', { timeout: 60_000 }, async () => {
  await expect(crawl(options({ scraper: './nowhere.mjs' }))).rejects.toMatchObject({
    code: 'job-invalid',
    message: expect.stringContaining('nowhere.mjs') as string,
  });
  expect(asked).toEqual([]);
});
