import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Url } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ChangingSite, startChangingSite } from '../changing-site.fixture.ts';
import { crawl } from '../library.ts';
import { queueFolder, readFolder } from './folder-reader.ts';

let home: string;
let folder: string;
let site: ChangingSite;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-queue-'));
  folder = join(home, 'x.crawl');
  const links = ['/a', '/b', '/c'].map((path) => `<a href="${path}">x</a>`).join('');
  const leaf = { body: '<p>leaf' };
  site = await startChangingSite({
    '/': { body: links },
    '/a': leaf,
    '/a/b': leaf,
    '/b': leaf,
    '/c': leaf,
    '/new': leaf,
  });
});
afterEach(async () => {
  await site.stop();
  rmSync(home, { recursive: true, force: true });
});

const run = (pages: number) =>
  crawl({
    name: 'x',
    folder,
    seeds: [`${site.origin}/`],
    politeness: { gap: '1ms', slowFactor: 0 },
    fetch: { allowPrivate: [site.origin] },
    limits: { pages, minFree: '1MB' },
    hostLedger: join(home, 'ledger.db'),
  });

test('a queue is replaced: known URLs are fetched again, new ones too, what was queued is dropped', async () => {
  await run(2);
  const url = (path: string) => `${site.origin}${path}` as Url;
  expect(await queueFolder(folder, [url('/'), url('/new')])).toBe(2);
  const reader = await readFolder(folder);
  expect(await reader.balance()).toMatchObject({ queued: 2, leased: 0 });
  expect(await reader.state()).toBe('stopped');
  expect((await reader.explain(url('/c'))).code).toBe('dropped');
  const { urls } = await reader.urls({ filter: { state: 'queued' }, after: '', limit: 10 });
  expect(urls.map((known) => ('entry' in known ? known.entry.url : '')).toSorted()).toEqual([
    url('/'),
    url('/new'),
  ]);
  await reader.close();
  await run(100);
  const after = await readFolder(folder);
  expect((await after.record(url('/new')))?.verdict).toBe('done');
  expect((await after.record(url('/')))?.verdict).toBe('done');
  expect(await after.robots(url('/'))).toMatchObject({ allowed: true });
  await after.close();
});
