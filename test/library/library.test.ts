import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type CrawlOptions, crawl } from 'webfarer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Answer, type SmallSite, shopPages, startSmallSite } from './small-site.ts';

const Product = z.object({ url: z.url(), name: z.string().min(1), price: z.number() });
const command = resolve(import.meta.dirname, '../../packages/cli/src/bin.ts');
let folder: string;
let site: SmallSite;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-library-'));
});
afterEach(async () => {
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function setUp(pages: Record<string, Answer>) {
  site = await startSmallSite(pages);
  const base = {
    name: 'shop',
    folder: join(folder, 'shop.crawl'),
    seeds: [`${site.origin}/`],
    politeness: { gap: '5ms', slowFactor: 0 },
    fetch: { allowPrivate: [site.origin], retries: { count: 1, backoff: '10ms' } },
    limits: { minFree: '1MB' },
  } satisfies CrawlOptions;
  return base;
}

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}

describe('crawl()', () => {
  it('collects typed items by label, each once, and keeps them in items.jsonl', async () => {
    const base = await setUp(shopPages);
    const skipped: string[] = [];
    const { items, balance, state } = await crawl({
      ...base,
      scope: { exclude: ['**/cart/**'] },
      items: Product,
      async onPage(page, { follow, push }) {
        if (page.label === 'product') {
          const $ = await page.$();
          push({ url: page.url, name: $('h1').text(), price: Number($('[itemprop=price]').attr('content')) });
          return;
        }
        follow(page.links.matching('/p/*'), { label: 'product' });
        follow(page.links.matching('/category/**', '/cart/**'));
      },
      onSkipped: (url, reason) => void skipped.push(`${new URL(url).pathname} ${reason.code}`),
    });
    expect(state).toBe('finished');
    const found = await all(items);
    expect(found.map(({ name, price }) => `${name} ${price}`).toSorted()).toEqual([
      'File 4.25',
      'Hammer 12.5',
      'Saw 9',
    ]);
    expect(balance).toEqual({ known: 5, queued: 0, leased: 0, done: 5, failed: 0, refused: 0 });
    expect(skipped).toEqual(['/cart/add excluded']);
    const lines = readFileSync(join(base.folder, 'items.jsonl'), 'utf8').trim().split('\n');
    expect(lines).toHaveLength(3);
    expect(site.asked.filter((path) => path === '/about')).toEqual([]);
  });

  it('goes on under the same name and asks nothing twice', async () => {
    const base = await setUp(shopPages);
    const first = await crawl({ ...base, limits: { pages: 2, minFree: '1MB' } });
    expect(first).toMatchObject({ state: 'limited', limitedBy: 'pages', balance: { done: 2 } });
    const second = await crawl({ ...base, limits: { pages: 100, minFree: '1MB' } });
    expect(second.state).toBe('finished');
    const again = await crawl({ ...base, limits: { pages: 100, minFree: '1MB' } });
    expect(again.state).toBe('finished');
    const pages = site.asked.filter((path) => path !== '/robots.txt');
    expect(pages.length).toBe(new Set(pages).size);
  });

  it('runs a handler that throws once more without another request, then fails the page with file and line', async () => {
    const base = await setUp(shopPages);
    const failed: string[] = [];
    const calls = new Map<string, number>();
    const { balance } = await crawl({
      ...base,
      onPage(page, { push, follow }) {
        const path = new URL(page.url).pathname;
        calls.set(path, (calls.get(path) ?? 0) + 1);
        push({ path });
        if (path === '/p/saw') throw new Error('dull blade');
        if (path === '/p/file' && calls.get(path) === 1) throw new Error('only once');
        follow(page.links.matching('/p/*', '/category/*'));
      },
      onFailed: (url, reason) => void failed.push(`${new URL(url).pathname} ${reason.code} ${reason.detail}`),
    });
    expect(failed).toHaveLength(1);
    expect(failed[0]).toMatch(/^\/p\/saw handler dull blade \(test\/library\/library\.test\.ts:\d+:\d+\)$/);
    expect(balance).toMatchObject({ failed: 1, done: 4 });
    expect(calls.get('/p/saw')).toBe(2);
    expect(site.asked.filter((path) => path === '/p/saw')).toHaveLength(1);
    // What a failed try pushed is never stored: one item for each page that was done.
    expect(readFileSync(join(base.folder, 'items.jsonl'), 'utf8').trim().split('\n')).toHaveLength(4);
  });

  it('says where an item does not fit', async () => {
    const base = await setUp(shopPages);
    const { balance, records } = await crawl({
      ...base,
      items: Product,
      onPage: (page, { push }) => push({ url: page.url, name: '', price: 1 }),
    });
    expect(balance).toMatchObject({ failed: 1 });
    const [record] = await all(records);
    expect(record).toMatchObject({ reason: 'item-invalid', detail: expect.stringContaining('name') });
  });

  it('stops softly and explains a URL', async () => {
    const base = await setUp(shopPages);
    const run = crawl({
      ...base,
      politeness: { gap: '2s' },
      onPage: (page, { follow }) => follow(page.links),
    });
    for await (const event of run) if (event.type === 'record') break;
    expect(await run.explain(`${site.origin}/about`)).toMatchObject({
      state: expect.stringMatching(/queued|in-flight/),
    });
    await run.stop();
    const { state, balance } = await run;
    expect(state).toBe('stopped');
    expect(balance).toMatchObject({ leased: 0, done: 1 });
    expect(balance.queued).toBeGreaterThan(0);
  });

  it('explains in one process without speaking of another worker, and says where an image stands', async () => {
    const base = await setUp({ ...shopPages, '/': `${shopPages['/'] as string}<img src="/logo.png">` });
    const run = crawl({
      ...base,
      politeness: { gap: '2s' },
      onPage: (page, { follow }) => follow(page.links),
    });
    for await (const event of run) if (event.type === 'record') break;
    const { lines } = await run.explain(`${site.origin}/category/tools`);
    expect(lines.join(' ')).not.toMatch(/worker/);
    expect(await run.explain(`${site.origin}/logo.png`)).toMatchObject({
      code: 'requisite',
      lines: [`found on ${site.origin}/ (img)`, expect.stringContaining('requisites are off')],
    });
    await run.stop();
  });

  it('throws when no page of the seeds may be read, and names the reason', async () => {
    const robots = {
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: 'User-agent: *\nDisallow: /',
    };
    const base = await setUp({ ...shopPages, '/robots.txt': robots });
    const skipped: string[] = [];
    const run = () => crawl({ ...base, onSkipped: (url, { code }) => void skipped.push(`${url} ${code}`) });
    for (const _ of ['first', 'again'])
      await expect(run()).rejects.toMatchObject({
        code: 'nothing-allowed',
        message: expect.stringContaining('Disallow: /'),
      });
    expect(skipped).toEqual([`${site.origin}/ robots`]);
  });

  it('lists seeds that could not be read beside those that could', async () => {
    const robots = {
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: 'User-agent: *\nDisallow: /p/',
    };
    const base = await setUp({ ...shopPages, '/robots.txt': robots });
    const { unfetchedSeeds } = await crawl({ ...base, seeds: [`${site.origin}/`, `${site.origin}/p/saw`] });
    expect(unfetchedSeeds).toMatchObject([
      { url: `${site.origin}/p/saw`, verdict: 'refused', code: 'robots' },
    ]);
  });

  it('keeps the command line out of a crawl whose handler it does not have', async () => {
    const base = await setUp({ ...shopPages, '/p/saw': { status: 503 } });
    const fetch = { ...base.fetch, retries: { count: 0, backoff: '10ms' } };
    const collect = () =>
      crawl({ ...base, fetch, onPage: (page, { follow, push }) => (push(page.url), follow(page.links)) });
    expect((await collect()).balance).toMatchObject({ failed: 1 });
    const cli = (...args: string[]) =>
      promisify(execFile)(process.execPath, [command, ...args], { cwd: folder }).catch(
        (error: unknown) => error,
      );
    expect(await cli('retry', base.folder, '--verdict', 'failed')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--no-run'),
    });
    expect((await collect()).balance).toMatchObject({ failed: 1, queued: 0 });
    expect(await cli('retry', base.folder, '--verdict', 'failed', '--no-run')).toMatchObject({
      stdout: expect.stringContaining('1 URL requeued'),
    });
    const asked = site.asked.length;
    expect((await collect()).balance).toMatchObject({ failed: 1, queued: 0 });
    expect(site.asked.slice(asked)).toContain('/p/saw');
  });

  it('fails the pages that a broken saver was called for, which can be tried again afterwards', async () => {
    const base = await setUp(shopPages);
    const module = join(folder, 'saver.mjs');
    const saver = (save: string) =>
      `export const saver = { name: 'own', async start() {}, async save() { ${save} }, async sync() {}, async stop() {}, written: () => ({ files: 0, bytes: 0 }) };`;
    writeFileSync(module, saver(`throw new Error('no ink')`));
    const broken = await crawl({ ...base, save: [module] });
    expect(broken).toMatchObject({ state: 'finished', balance: { failed: 1, done: 0 } });
    expect(broken.unfetchedSeeds[0]?.detail).toMatch(/^saver own: no ink \(.*saver\.mjs:1:\d+\)$/);
    const cli = (...args: string[]) =>
      promisify(execFile)(process.execPath, [command, ...args], { cwd: folder }).catch(
        (error: unknown) => error,
      );
    await cli('retry', base.folder, '--verdict', 'failed', '--no-run');
    const mended = join(folder, 'mended.mjs');
    writeFileSync(mended, saver(''));
    const { state, balance } = await crawl({ ...base, save: [mended] });
    expect(state).toBe('finished');
    expect(balance.done).toBe(balance.known);
  });

  it('stops soon after its time is over, whatever the pace', async () => {
    const base = await setUp(shopPages);
    const { state, limitedBy, balance } = await crawl({
      ...base,
      politeness: { gap: '60s' },
      limits: { duration: '1s', minFree: '1MB' },
    });
    expect([state, limitedBy]).toEqual(['limited', 'duration']);
    expect(balance.queued).toBeGreaterThan(0);
  });

  it('pauses at once and goes on when told to', async () => {
    const base = await setUp(shopPages);
    const run = crawl({ ...base, politeness: { gap: '200ms' } });
    for await (const event of run) if (event.type === 'record') break;
    await run.pause();
    const { balance } = await run.snapshot();
    await new Promise((resolve) => setTimeout(resolve, 600));
    const later = await run.snapshot();
    expect(later.state).toBe('paused');
    // One request may have been in flight.
    expect(later.balance.done - balance.done).toBeLessThanOrEqual(1);
    await run.resume();
    expect((await run).state).toBe('finished');
  });

  it('gives request headers to onRequest and nothing private to anybody', async () => {
    const base = await setUp({
      '/': '<a href="http://127.0.0.1:3999/secret">x</a><a href="http://localhost/">y</a>',
    });
    const refused: string[] = [];
    const { balance } = await crawl({
      ...base,
      contact: 'https://lab.example/',
      scope: { stay: 'web' },
      onRequest: (_url, headers) => void Object.assign(headers, { 'X-Lab': '1' }),
      onSkipped: (url, { code }) => void refused.push(`${url} ${code}`),
    });
    expect(balance).toMatchObject({ done: 1, refused: 2 });
    expect(refused.toSorted()).toEqual([
      'http://127.0.0.1:3999/secret private-address',
      'http://localhost/ private-address',
    ]);
  });
});
