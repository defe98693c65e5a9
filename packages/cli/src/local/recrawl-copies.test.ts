import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ChangingSite, startChangingSite } from '../changing-site.fixture.ts';
import { crawl, type CrawlOptions } from '../library.ts';

let home: string;
let site: ChangingSite;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-copies-'));
  site = await startChangingSite({
    '/': { body: '<a href="/list">list</a> <a href="/plain">plain</a> <a href="/old">old</a>' },
    '/list': { body: '<a href="/p/1">one</a> <a href="/p/2">two</a>' },
    '/p/1': { body: '<h1>One</h1>' },
    '/p/2': { body: '<h1>Two</h1>' },
    '/plain': { body: '<p>no validators here', plain: true },
    '/old': { body: '<p>soon gone' },
  });
});
afterEach(async () => {
  await site.stop();
  rmSync(home, { recursive: true, force: true });
});

function options(name: string, more: Partial<CrawlOptions>): CrawlOptions {
  return {
    name,
    folder: join(home, `${name}.crawl`),
    seeds: [`${site.origin}/`],
    contact: 'me@example.org',
    politeness: { gap: '2ms', slowFactor: 0 },
    fetch: { allowPrivate: [site.origin], retries: { count: 0 } },
    limits: { minFree: '1MB' },
    ...more,
  };
}

/** Every file of a folder and its content. What begins with a dot is not for readers. */
function contentOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.startsWith('.'),
  );
  const paths = files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).toSorted();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

function change(): void {
  site.pages['/p/2'] = { body: '<h1>Two, rewritten</h1><a href="/p/3">three</a>' };
  site.pages['/p/3'] = { body: '<h1>Three</h1>' };
  site.pages['/'] = { body: '<a href="/list">list</a> <a href="/plain">plain</a>' };
  site.pages['/old'] = undefined;
}

describe('the mirror of a recrawl', () => {
  it.each([['warc' as const], ['files' as const]])(
    'has unchanged pages too, saved as %s: it is that of a new crawl',
    async (saver) => {
      const again = options('again', { mirror: {}, save: [saver] });
      await crawl(again);
      await crawl({ ...again, recrawl: true });
      change();
      const third = await crawl({ ...again, recrawl: true });
      expect(third.snapshot.byReason).toMatchObject({ 'not-modified': 2 });
      const fresh = await crawl(options('fresh', { name: 'again', mirror: {} }));
      const whole = contentOf(join(fresh.folder, 'mirror'));
      expect(Object.keys(whole)).toHaveLength(7);
      expect(contentOf(join(third.folder, 'mirror'))).toEqual(whole);
    },
  );

  it('continues in the folder that the job names, and removes what is gone', async () => {
    const again = options('again', { mirror: { folder: join(home, 'site') } });
    await crawl(again);
    change();
    await crawl({ ...again, recrawl: true });
    const fresh = await crawl(options('fresh', { name: 'again', mirror: {} }));
    expect(contentOf(join(home, 'site'))).toEqual(contentOf(join(fresh.folder, 'mirror')));
    await crawl({ ...again, fresh: true });
    expect(contentOf(join(home, 'site'))).toEqual(contentOf(join(fresh.folder, 'mirror')));
  });
});

it('collects files that are unchanged since the crawl before', async () => {
  const again = options('again', { files: { types: ['text/html'], from: '**/list' } });
  const first = await crawl(again);
  const second = await crawl({ ...again, recrawl: true });
  const found = contentOf(join(first.folder, 'files'));
  expect(Object.values(found).toSorted()).toEqual(['<h1>One</h1>', '<h1>Two</h1>']);
  expect(contentOf(join(second.folder, 'files'))).toEqual(found);
  const lines = (folder: string) => readFileSync(join(folder, 'files.jsonl'), 'utf8');
  expect(lines(second.folder)).toBe(lines(first.folder));
});
