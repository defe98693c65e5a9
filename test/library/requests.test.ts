import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { crawl, type CrawlOptions, replay } from 'webfarer';
import { afterEach, beforeEach, expect, it } from 'vitest';

/** Requests that a handler follows, judged by what the site was sent. */
interface Seen {
  host: string;
  method: string;
  path: string;
  body: string;
  headers: NodeJS.Dict<string | string[]>;
}
type Reply = { status?: number; headers?: Record<string, string>; body?: string };

let folder: string;
let server: Server;
let origin: string;
let elsewhere: string;
let seen: Seen[];
let answer: (request: Seen) => Reply;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-requests-'));
  seen = [];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const one = { host: headers.host ?? '', method, path, body: Buffer.concat(chunks).toString(), headers };
      if (path !== '/robots.txt') seen.push(one);
      const {
        status = 200,
        headers: own = {},
        body = '',
      } = path === '/robots.txt' ? { status: 404 } : answer(one);
      response.writeHead(status, { 'content-type': 'text/html', ...own }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  origin = `http://127.0.0.1:${port}`;
  elsewhere = `http://127.0.0.2:${port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

async function run(onPage: CrawlOptions['onPage'], changes: Partial<CrawlOptions> = {}) {
  const failures: string[] = [];
  const {
    items,
    state,
    folder: where,
  } = await crawl({
    name: 'requests',
    folder: join(folder, 'requests.crawl'),
    seeds: [`${origin}/`],
    contact: 'https://lab.example/',
    scope: { stay: 'web' },
    politeness: { gap: '1ms', slowFactor: 0 },
    fetch: { allowPrivate: [origin, elsewhere], retries: { backoff: '1ms' } },
    limits: { minFree: '1MB' },
    save: ['none'],
    hostLedger: join(folder, 'ledger.db'),
    ...changes,
    onPage: onPage as NonNullable<CrawlOptions['onPage']>,
    onFailed: (_, { detail = '' }) => void failures.push(detail),
  });
  const found: unknown[] = [];
  for await (const item of items) found.push(item);
  return { found, failures, state, where };
}

const sent = (method: string, path: string) =>
  seen.filter((one) => one.method === method && one.path === path);

it('goes through a list by POST, each page once, with data that arrives with it', async () => {
  answer = ({ method, path, body }) => {
    if (method === 'GET') return { body: `<h1>GET ${path}</h1>` };
    const { page } = JSON.parse(body) as { page: number };
    return {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ page, last: page === 4 }),
    };
  };
  const { found, state } = await run((page, { follow, push }) => {
    if (page.label !== 'list') {
      // Twice the same, and once as a page: three follows, two requests.
      for (const body of [{ page: 1 }, { page: 1 }])
        follow('/list', { label: 'list', body, data: { sum: 0 } });
      return follow('/list');
    }
    const { page: n, last } = page.json() as { page: number; last: boolean };
    const { sum } = page.data as { sum: number };
    push({ url: page.url, method: page.method, n, sum });
    if (!last) follow('/list', { label: 'list', body: { page: n + 1 }, data: { sum: sum + n } });
  });
  expect(state).toBe('finished');
  const url = `${origin}/list`;
  expect(found).toEqual([0, 1, 3, 6].map((sum, n) => ({ url, method: 'POST', n: n + 1, sum })));
  expect(sent('POST', '/list').map(({ body }) => body)).toEqual(
    [1, 2, 3, 4].map((page) => `{"page":${page}}`),
  );
  expect(sent('POST', '/list')[0]?.headers).toMatchObject({
    'content-type': 'application/json',
    'content-length': '10',
  });
  expect(sent('GET', '/list')).toHaveLength(1);
});

it('repeats a POST with body and headers after an error, and tells forms by their type', async () => {
  // The first speaks for the whole host, the second for this URL.
  const errors = [503, 500];
  answer = ({ method }) => {
    const status = method === 'POST' ? errors[sent('POST', '/form').length - 1] : undefined;
    return status === undefined ? {} : { status };
  };
  const { found } = await run((page, { follow, push }) => {
    if (page.method === 'POST') return push([page.headers['content-type'], page.data]);
    const headers = { 'X-Own': 'yes', accept: 'application/json' };
    follow('/form', { body: new URLSearchParams({ q: 'a b' }), headers, data: ['kept'] });
  });
  expect(found).toEqual([['text/html', ['kept']]]);
  const posts = sent('POST', '/form');
  expect(posts.map(({ body }) => body)).toEqual(['q=a+b', 'q=a+b', 'q=a+b']);
  expect(sent('GET', '/form')).toEqual([]);
  for (const { headers } of posts) {
    const type = 'application/x-www-form-urlencoded;charset=UTF-8';
    expect(headers).toMatchObject({ 'x-own': 'yes', accept: 'application/json', 'content-type': type });
  }
});

it.each([
  [301, 'GET', ''],
  [302, 'GET', ''],
  [303, 'GET', ''],
  [307, 'POST', 'text'],
  [308, 'POST', 'text'],
])('after a POST that is answered %i asks by %s', async (status, method, body) => {
  answer = ({ path }) =>
    path === '/from' ? { status, headers: { location: `${elsewhere}/to` } } : { body: '<p>' };
  const { found } = await run((page, { follow, push }) => {
    if (page.url.endsWith('/to')) return push([page.method, page.label, page.data]);
    follow('/from', { method: 'POST', body: 'text', headers: { 'X-Key': 'secret' }, label: 'l', data: 7 });
  });
  expect(found).toEqual([[method, 'l', 7]]);
  const [at] = seen.filter(({ path }) => path === '/to');
  expect(at).toMatchObject({ method, body });
  expect(at?.headers['x-key']).toBeUndefined();
  expect(seen.find(({ path }) => path === '/from')?.headers['x-key']).toBe('secret');
});

it.each([
  ['a GET has no body', { method: 'GET', body: 'x' }],
  ['is not GET or POST', { method: 'PUT' as 'POST' }],
  ['the crawler sets this header itself', { headers: { Cookie: 'a=b' } }],
  ['the crawler sets this header itself', { headers: { authorization: 'x' } }],
  ['printable ASCII', { headers: { 'X-A': 'b\r\nHost: c' } }],
  ['there is none', { headers: { 'Content-Type': 'text/plain' } }],
  ['may take 16384', { data: 'x'.repeat(20_000) }],
  ['data is not a JSON value', { data: () => 1 }],
  ['not a whole number from 1 to 8', { priority: 9 }],
  ['not a whole number from 0 on', { depth: -1 }],
] as const)('says what is wrong with a request: %s', async (message, options) => {
  answer = () => ({ body: '<p>' });
  const { failures } = await run((_, { follow }) => follow('/x', options));
  expect(failures.join()).toContain(message);
  expect(seen.map(({ path }) => path)).toEqual(['/']);
});

it('fetches by priority, and counts depth as it is told', async () => {
  answer = () => ({ body: '<p>' });
  const depths: [string, number][] = [];
  await run(
    (page, { follow }) => {
      depths.push([new URL(page.url).pathname, page.depth]);
      if (page.depth > 0) return;
      follow('/later', { priority: 8 });
      follow('/soon', { priority: 2, depth: 5 });
      follow('/first', { depth: 0 });
      follow('/too-deep', { depth: 21 });
    },
    { processes: 1 },
  );
  expect(depths).toEqual([
    ['/', 0],
    ['/first', 1],
    ['/soon', 5],
    ['/later', 1],
  ]);
});

it('shows a handler the files that it names, and leaves others unread', async () => {
  answer = ({ path }) => {
    if (path === '/') return { body: '<a href="/plain.zip">x</a><a href="/named.zip">y</a>' };
    return { headers: { 'content-type': 'application/zip' }, body: `bytes of ${path}` };
  };
  const { found } = await run((page, { follow, push }) => {
    if (page.mime === 'application/zip') return push(page.body.toString());
    follow(page.links);
    follow(['/named.zip', '/picture.png?w=9']);
    follow('/download', { data: 1 });
  });
  expect(new Set(found)).toEqual(
    new Set(['/download', '/named.zip', '/picture.png?w=9'].map((path) => `bytes of ${path}`)),
  );
  expect(found).toHaveLength(3);
});

it('archives a POST as it was sent, and lists it apart from the page of its URL', async () => {
  answer = () => ({ body: '<p>'.repeat(2_000) });
  await run((_, { follow }) => follow('/form', { body: 'k=\u00e9&k=2', headers: { 'X-Own': 'yes' } }), {
    save: ['warc'],
  });
  const archive = join(folder, 'requests.crawl', 'archive');
  const text = readdirSync(archive)
    .filter((name) => name.endsWith('.warc.gz'))
    .map((name) => gunzipSync(readFileSync(join(archive, name))).toString())
    .join('');
  expect(text).toMatch(/POST \/form HTTP\/1\.1\r\n(?:.+\r\n)*content-length: 8\r\n\r\nk=\u00e9&k=2/);
  expect(text).toContain(`WARC-Target-URI: ${origin}/form\r\n`);
  expect(text).not.toContain('#POST.');
  const names = readdirSync(join(folder, 'requests.crawl'), { recursive: true }).map(String);
  const index = names.filter((name) => name.endsWith('.cdxj'));
  const lines = index.flatMap((name) =>
    readFileSync(join(folder, 'requests.crawl', name), 'utf8').split('\n'),
  );
  const line = lines.find((one) => one.includes('"method":"POST"'));
  expect(line).toMatch(/\/form\?__wb_method=post&__wb_request=/i);
  expect(line).toContain(`"url":"${origin}/form"`);
});

/** A list that is asked for by POST, whose pages lead to products by GET; each brings data. */
const throughList: NonNullable<CrawlOptions['onPage']> = (page, { follow, push }) => {
  const { label, depth, method, data } = page;
  const list = (n: number) =>
    follow('/list', { label: 'list', body: { page: n }, headers: { 'X-Own': 'yes' }, data: { n }, depth: 1 });
  if (label === undefined) return list(1);
  push({ url: page.url, label, depth, method, data, source: page.source() });
  if (label !== 'list') return;
  const { n } = data as { n: number };
  follow(`/p/${n}`, { label: 'product', data: [n] });
  if (n < 3) list(n + 1);
};
const shop = ({ method, path, body, headers }: Seen): Reply => {
  const etag = `"${path}"`;
  if (method === 'GET' && headers['if-none-match'] === etag) return { status: 304 };
  // The same length for all: a body in the wrong place is only seen by what it says.
  return { headers: { etag }, body: method === 'POST' ? `<p>list ${body}` : `<p>page ${path}` };
};

it.each(['text/html', 'application/json'])(
  'replays requests with the data, label, depth and method that they had: %s',
  async (type) => {
    answer = (asked) => {
      const reply = shop(asked);
      return {
        ...reply,
        headers: { ...reply.headers, 'content-type': asked.method === 'POST' ? type : 'text/html' },
      };
    };
    const { found, where } = await run(throughList, { save: ['warc'] });
    expect(found).toHaveLength(6);
    expect(found).toContainEqual({
      url: `${origin}/list`,
      label: 'list',
      depth: 1,
      method: 'POST',
      data: { n: 3 },
      source: '<p>list {"page":3}',
    });
    const asked = seen.length;
    expect(await replayed(where)).toEqual(found);
    expect(seen).toHaveLength(asked);
  },
);

it('asks again in a recrawl, each request once, with body, headers, data and depth', async () => {
  answer = shop;
  const save: CrawlOptions['save'] = ['warc'];
  const { found } = await run(throughList, { save });
  const posts = () => sent('POST', '/list').map(({ body, headers }) => [body, headers['x-own']]);
  const first = posts();
  expect(first).toEqual([1, 2, 3].map((page) => [`{"page":${page}}`, 'yes']));
  seen = [];
  // The depth of the list is as it was: one more for each of its pages would be over the limit.
  const again = await run(throughList, { save, recrawl: true, limits: { minFree: '1MB', depth: 2 } });
  expect(posts()).toEqual(first);
  // Lists were sent whole and handled once more; items of what is unchanged were carried over.
  const sorted = (items: unknown[]) => items.map((item) => JSON.stringify(item)).toSorted();
  expect(sorted(again.found)).toEqual(sorted(found));
  const asked = seen.length;
  expect(await replayed(again.where)).toEqual(found);
  expect(seen).toHaveLength(asked);
});

async function replayed(where: string): Promise<unknown[]> {
  const to = join(folder, 'replayed');
  await replay({ onPage: throughList }, where, { to });
  const lines = readFileSync(join(to, 'items.jsonl'), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as unknown);
}
