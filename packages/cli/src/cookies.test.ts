import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CrawlOptions, crawl } from './library.ts';

let home: string;
let origin: string;
let asked: { path: string; cookie: string | undefined }[];
let answer: (path: string, cookie: string, response: ServerResponse) => void;

const server = createServer((request: IncomingMessage, response) => {
  const { url = '/', headers } = request;
  if (url === '/robots.txt') return void response.writeHead(404).end();
  asked.push({ path: url, cookie: headers.cookie });
  answer(url, headers.cookie ?? '', response);
});

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-cookies-'));
  asked = [];
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(home, { recursive: true, force: true });
});

function page(response: ServerResponse, body: string, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(body);
}

function options(changes: Partial<CrawlOptions> = {}, fetch: CrawlOptions['fetch'] = {}): CrawlOptions {
  return {
    name: 'jar',
    folder: join(home, 'jar.crawl'),
    seeds: [`${origin}/`],
    politeness: { gap: '2ms', slowFactor: 0 },
    limits: { minFree: '1MB' },
    fetch: { allowPrivate: [origin], retries: { count: 0 }, ...fetch },
    ...changes,
  };
}

const cookieWall = (path: string, cookie: string, response: ServerResponse) => {
  if (cookie.includes('seen=1')) return page(response, path === '/' ? '<a href="/a">a</a>' : 'a');
  response.writeHead(302, { location: path, 'set-cookie': 'seen=1; Path=/' }).end();
};

test('a page that leads to itself with a cookie is asked for once more, and then is a page', async () => {
  answer = cookieWall;
  const { snapshot, balance } = await crawl(options());
  expect(asked).toEqual([
    { path: '/', cookie: undefined },
    { path: '/', cookie: 'seen=1' },
    { path: '/a', cookie: 'seen=1' },
  ]);
  expect([balance.done, snapshot.byStatus]).toEqual([2, { 200: 2 }]);
});

test('a wall that never opens ends as the redirect it is', async () => {
  let n = 0;
  answer = (path, _, response) =>
    void response.writeHead(302, { location: path, 'set-cookie': `n=${++n}` }).end();
  const { snapshot } = await crawl(options());
  expect(asked).toHaveLength(2);
  expect(snapshot.byReason).toEqual({ redirect: 1 });
});

test('without cookies nothing is asked twice, and no jar is written', async () => {
  answer = cookieWall;
  const { snapshot } = await crawl(options({}, { cookies: false }));
  expect(asked).toEqual([{ path: '/', cookie: undefined }]);
  expect(snapshot.byReason).toEqual({ redirect: 1 });
  expect(existsSync(join(home, 'jar.crawl', 'cookies.json'))).toBe(false);
});

test('the jar survives a restart, in a file for nobody else', async () => {
  answer = (path, _, response) =>
    page(response, '<a href="/a">a</a>', path === '/' ? { 'set-cookie': 'session=7' } : {});
  expect((await crawl(options({ limits: { pages: 1, minFree: '1MB' } }))).state).toBe('limited');
  const file = join(home, 'jar.crawl', 'cookies.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await crawl(options())).state).toBe('finished');
  expect(asked).toEqual([
    { path: '/', cookie: undefined },
    { path: '/a', cookie: 'session=7' },
  ]);
});

test('cookies.txt fills the jar; later the jar knows better, until the file is written again', async () => {
  const txt = join(home, 'cookies.txt');
  const line = (value: string) => `127.0.0.1\tFALSE\t/\tFALSE\t0\tlogin\t${value}\n`;
  writeFileSync(txt, line('secret'));
  answer = (path, _, response) =>
    page(
      response,
      '<a href="/a">a</a> <a href="/b">b</a>',
      path === '/' ? { 'set-cookie': 'login=renewed; Path=/' } : {},
    );
  const limited = (pages: number) => options({ limits: { pages, minFree: '1MB' } }, { cookies: txt });
  await crawl(limited(1));
  await crawl(limited(2));
  writeFileSync(txt, line('mine'));
  const soon = statSync(join(home, 'jar.crawl', 'cookies.json')).mtimeMs / 1_000 + 5;
  utimesSync(txt, soon, soon);
  await crawl(limited(3));
  expect(asked.map(({ cookie }) => cookie)).toEqual(['login=secret', 'login=renewed', 'login=mine']);
  expect(readFileSync(join(home, 'jar.crawl', 'crawl.json'), 'utf8')).not.toContain('secret');
  // Nor does an archive that is given to others hold anybody's login.
  const archive = join(home, 'jar.crawl', 'archive');
  const warcs = readdirSync(archive).filter((name) => name.includes('.warc.gz'));
  const text = warcs.map((name) => gunzipSync(readFileSync(join(archive, name))).toString('latin1')).join('');
  expect(text).toContain(`WARC-Target-URI: ${origin}/b`);
  expect(text).not.toMatch(/secret|mine/);
});

test('a file that is no cookies.txt is told before anything is written', async () => {
  const txt = join(home, 'cookies.txt');
  writeFileSync(txt, '# Netscape\nnonsense\n');
  await expect(crawl(options({}, { cookies: txt }))).rejects.toThrow('line 2 is not in cookies.txt format');
  await expect(crawl(options({}, { cookies: join(home, 'none.txt') }))).rejects.toThrow('cannot read');
  expect(existsSync(join(home, 'jar.crawl'))).toBe(false);
});
