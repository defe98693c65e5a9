import { appendFileSync, globSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fakeWorld } from '../../fake-crawl.fixture.ts';
import { type CrawlOptions, crawl } from '../../library.ts';
import { localCrawls } from '../../local/local-crawl.ts';
import { runCli } from '../../program.ts';

let home: string;
let origin: string;
let asked: string[];
let isIll: boolean;
let stop: () => Promise<void>;

/** Two pages are the same, one moved, one is gone, one is ill at first; one is only in the sitemap. */
const links = ['same/1', 'same/2', 'moved', 'gone', 'ill']
  .map((path) => `<a href="/${path}">on</a>`)
  .join(' ');
const answers: Record<string, () => [number, string, Record<string, string>?]> = {
  '/robots.txt': () => [200, `User-agent: *\nSitemap: ${origin}/map.xml\n`, { 'content-type': 'text/plain' }],
  '/map.xml': () => [
    200,
    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${origin}/listed</loc></url></urlset>`,
    { 'content-type': 'application/xml' },
  ],
  '/': () => [200, links],
  '/moved': () => [301, '', { location: '/arrived' }],
  '/gone': () => [404, 'gone'],
  '/ill': () => (isIll ? [500, 'ill'] : [200, '<a href="/healed">on</a>']),
};

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-rebuild-'));
  asked = [];
  isIll = true;
  const server = createServer(({ url = '/' }, response) => {
    asked.push(url);
    const same = 'the same words '.repeat(500);
    const [status, body, headers] = answers[url]?.() ?? [200, url.startsWith('/same') ? same : `<p>${url}`];
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  stop = async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
});
afterEach(async () => {
  await stop();
  rmSync(home, { recursive: true, force: true });
});

const options = (name: string): CrawlOptions => ({
  name: 'shop',
  folder: join(home, name),
  seeds: [`${origin}/`],
  politeness: { gap: '2ms', slowFactor: 0 },
  fetch: { allowPrivate: [origin], retries: { count: 0 } },
  limits: { minFree: '1MB' },
});

async function cli(...argv: string[]) {
  const world = fakeWorld(home, {}, argv);
  const exit = await runCli(argv, { ...world.context, local: localCrawls, clock: systemClock() });
  return { exit, out: world.out(), err: world.err().replaceAll(/\s+/g, ' ') };
}

async function outcomes(name: string): Promise<string[]> {
  const { records } = await crawl(options(name));
  const all: string[] = [];
  for await (const { url, reason, status } of records)
    all.push(`${url.slice(origin.length)} ${status} ${reason}`);
  return all.toSorted();
}

it('asks only for robots.txt and for what the archive cannot answer', async () => {
  const before = await outcomes('shop.crawl');
  expect(before).toContain('/listed 200 ok');
  asked = [];
  isIll = false;
  const made = await cli('rebuild', 'shop.crawl', '--out', 'new.crawl');
  expect(made).toMatchObject({ exit: 0, out: expect.stringContaining('run shop.crawl/crawl.json --out') });
  const after = await outcomes('new.crawl');
  expect(asked.toSorted()).toEqual(['/healed', '/ill', '/robots.txt']);
  expect(after.filter((one) => !/healed|ill/.test(one))).toEqual(
    before.filter((one) => !one.includes('ill')),
  );
  expect(await cli('warc', 'validate', 'new.crawl')).toMatchObject({ exit: 0 });
  const cat = await cli('warc', 'cat', `${origin}/same/2`, '--folder', 'new.crawl');
  expect(cat.out).toContain('the same words');
});

it('finds again what only a sitemap names', async () => {
  isIll = false;
  const before = await outcomes('shop.crawl');
  expect(await cli('rebuild', 'shop.crawl', '--out', 'new.crawl')).toMatchObject({ exit: 0 });
  asked = [];
  expect(await outcomes('new.crawl')).toEqual(before);
  expect(asked).toEqual(['/robots.txt']);
});

it('takes a file that was being written as far as it is whole', async () => {
  await outcomes('shop.crawl');
  const [file = ''] = globSync(join(home, 'shop.crawl', 'archive', '*.warc.gz'));
  renameSync(file, `${file}.open`);
  appendFileSync(`${file}.open`, Buffer.from([0x1f, 0x8b, 8, 0, 1, 2]));
  expect(await cli('rebuild', 'shop.crawl', '--out', 'new.crawl')).toMatchObject({ exit: 0 });
  expect(readdirSync(join(home, 'new.crawl', 'archive'))).toHaveLength(1);
  asked = [];
  await outcomes('new.crawl');
  expect(asked.toSorted()).toEqual(['/ill', '/robots.txt']);
});

it('says what is wrong with a damaged file, and exits so', async () => {
  await outcomes('shop.crawl');
  const [file = ''] = globSync(join(home, 'shop.crawl', 'archive', '*.warc.gz'));
  appendFileSync(file, 'rubbish');
  const made = await cli('rebuild', 'shop.crawl', '--out', 'new.crawl');
  expect(made).toMatchObject({ exit: 4, out: expect.stringMatching(/is damaged.*warc repair/) });
});

it.each([
  ['a folder that is in use', ['shop.crawl', '--out', 'shop.crawl'], /not empty.*does not exist yet/],
  ['a folder without archives', ['.', '--out', 'new.crawl'], /no WARC files.*Name the folder/],
])('refuses %s', async (_, words, said) => {
  await outcomes('shop.crawl');
  expect(await cli('rebuild', ...words)).toMatchObject({ exit: 2, err: expect.stringMatching(said) });
});
