import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fakeWorld } from '../fake-crawl.fixture.ts';
import { type CrawlOptions, crawl } from '../library.ts';
import { localCrawls } from '../local/local-crawl.ts';
import { runCli } from '../program.ts';

let home: string;
let origin: string;
let asked: string[];
let stop: () => Promise<void>;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-retry-'));
  asked = [];
  const links = Array.from({ length: 5 }, (_, n) => `<a href="/p/${n}">${n}</a>`).join(' ');
  const server = createServer(({ url = '/' }, response) => {
    asked.push(url);
    const isPage = url !== '/robots.txt';
    response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html' });
    response.end(url === '/' ? links : `<h1>Product ${url}</h1><a href="/p/9">more</a>`);
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

const options = (more: Partial<CrawlOptions>): CrawlOptions => ({
  name: 'shop',
  folder: join(home, 'shop.crawl'),
  seeds: [`${origin}/`],
  politeness: { gap: '2ms', slowFactor: 0 },
  fetch: { allowPrivate: [origin] },
  limits: { minFree: '1MB' },
  ...more,
});

async function cli(...argv: string[]) {
  const world = fakeWorld(home, {}, argv);
  const exit = await runCli(argv, { ...world.context, local: localCrawls, clock: systemClock() });
  return { exit, out: world.out(), err: world.err().replaceAll(/\s+/g, ' ') };
}

async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

const broken: CrawlOptions['onPage'] = (page, { follow }) => {
  if (page.url !== `${origin}/`) throw new Error('no price');
  follow(page.links, { label: 'product' });
};
const fixed: CrawlOptions['onPage'] = (page, { push, follow }) => {
  if (page.label === 'product') push({ url: page.url, bytes: page.body.length, status: page.status });
  follow(page.links, { label: 'product' });
};

it('runs a fixed handler over the stored answers, and requests only what it newly follows', async () => {
  const first = await crawl(options({ onPage: broken }));
  expect(first.snapshot.byReason).toMatchObject({ handler: 5 });
  expect(asked.filter((path) => path.startsWith('/p/'))).toHaveLength(5);
  const failed = (await collect(first.records)).find(({ reason }) => reason === 'handler');
  expect(failed?.detail).toMatch(/no price \(.*retry-stored\.test\.ts:\d+:\d+\)/);

  expect(await cli('retry', 'shop.crawl', '--reason', 'handler')).toMatchObject({
    exit: 2,
    err: expect.stringMatching(/crawl of your own program.*Run that program again/),
  });
  expect((await cli('retry', 'shop.crawl', '--reason', 'handler', '--no-run')).out).toContain(
    '5 URLs requeued',
  );
  asked.length = 0;
  const second = await crawl(options({ onPage: fixed }));
  // Page 9 is what the broken handler never came to follow.
  expect(asked).toEqual(['/p/9']);
  expect(second.balance).toMatchObject({ done: 7, failed: 0, queued: 0 });
  const items = (await collect(second.items)) as { url: string; bytes: number }[];
  expect(items.map(({ url }) => url.slice(origin.length)).toSorted()).toEqual(
    [0, 1, 2, 3, 4, 9].map((n) => `/p/${n}`),
  );
  const records = await collect(second.records);
  const again = records.find(({ url }) => url === failed?.url);
  expect(again).toMatchObject({
    verdict: 'done',
    items: 1,
    status: 200,
    startedAtMs: failed?.startedAtMs,
    digest: failed?.digest,
    saved: failed?.saved,
  });
});

it('does the same for a scraper module, in one command', async () => {
  const scraper = join(home, 'scraper.mjs');
  writeFileSync(
    scraper,
    'export function onPage(page, { follow }) { follow(page.links); if (page.depth) no.price; }',
  );
  const job = { ...options({}), scraper: './scraper.mjs' } as Record<string, unknown>;
  delete job.folder;
  writeFileSync(join(home, 'job.json'), JSON.stringify(job));
  expect((await cli('run', 'job.json', '--quiet')).out).toContain('scraper error 5');
  asked.length = 0;
  // The same module is still in memory, and fails again on the same answers.
  const { out } = await cli('retry', 'shop.crawl', '--verdict', 'failed');
  expect(out).toContain('5 URLs requeued');
  expect(asked).toEqual([]);
});

it('requests a page whose answer is gone, and forgets the answers at the next retry', async () => {
  await crawl(options({ onPage: broken, save: ['none'] }));
  await cli('retry', 'shop.crawl', '--reason', 'handler', '--no-run');
  expect(existsSync(join(home, 'shop.crawl', 'stored-retries.jsonl'))).toBe(false);
  asked.length = 0;
  await crawl(options({ onPage: fixed, save: ['none'] }));
  expect(asked.filter((path) => path.startsWith('/p/')).toSorted()).toEqual(
    [0, 1, 2, 3, 4, 9].map((n) => `/p/${n}`),
  );
});

it('fails the page for which onRequest throws, with the place, and none else', async () => {
  const { balance, records } = await crawl(
    options({
      onPage: fixed,
      onRequest(url) {
        if (url.endsWith('/p/3')) throw new Error('no header');
      },
    }),
  );
  expect(balance).toMatchObject({ done: 6, failed: 1 });
  expect((await collect(records)).find(({ verdict }) => verdict === 'failed')).toMatchObject({
    url: `${origin}/p/3`,
    reason: 'handler',
    detail: expect.stringMatching(/^onRequest: no header \(.*retry-stored\.test\.ts:\d+:\d+\)$/),
  });
  expect(asked).not.toContain('/p/3');
});
