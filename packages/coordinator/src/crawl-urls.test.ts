import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Url } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import type { CrawlUrls } from './api/call/crawl-urls.ts';
import { newEntry } from './catalog/catalog.suite.ts';
import type { CatalogEntry } from './catalog/catalog.ts';
import { noEdits } from './catalog/entry-edits.ts';
import { createCrawlUrls } from './crawl-urls.ts';
import { anyUrl } from './frontier/all-steps.ts';
import { openSqliteFrontier } from './frontier/sqlite/sqlite-frontier.ts';
import { testClock } from './frontier/suite/clock.fixture.ts';
import { answered, crawlA, createWorld, outcome, type World } from './frontier/suite/world.fixture.ts';
import { settableRules } from './host-rules/host-rules.ts';

const seed = 'https://a.example/' as Url;
const job = { name: 'a', seeds: [seed], contact: 'me@a.example' };
const entry: CatalogEntry = { ...newEntry('a', { job, seeds: [seed] }), version: 1, edits: noEdits };

/** A crawl in a store that another coordinator works on. */
async function elsewhere(): Promise<{ w: World; urls: CrawlUrls }> {
  const clock = testClock();
  const frontier = openSqliteFrontier({ path: ':memory:', clock });
  const w = await createWorld({ name: 'a store', open: () => Promise.resolve(frontier) });
  await w.openCrawl({ id: crawlA });
  await w.offer([seed]);
  const lease = await w.leaseOne();
  const edges = [{ to: `${seed}later` as Url, rel: 'a' }];
  const [first] = lease.entries;
  await w.report(lease, { settled: [outcome(first!, { edges })], news: answered, close: true });
  const urls = createCrawlUrls({
    clock: w.clock,
    version: '1.2.3',
    frontier,
    rules: settableRules(),
    running: () => undefined,
    folderOf: () => '',
  });
  return { w, urls };
}

it('searches, explains and changes URLs of a crawl that another coordinator works on', async () => {
  const { w, urls } = await elsewhere();
  const found = async () =>
    (await urls.search(entry, { filter: {}, after: '', limit: 10 })).urls.map(({ state }) => state);
  expect(await found()).toEqual(['done']);
  expect(await urls.explain(entry, seed)).toMatchObject({ state: 'done', code: 'ok' });
  expect(await urls.explain(entry, 'https://b.example/')).toMatchObject({ state: 'out-of-scope' });
  expect(await urls.relink(entry, '')).toEqual({ moved: 1, searched: 1, next: undefined });
  expect(await found()).toEqual(['queued', 'done']);
  const all = { after: '', only: anyUrl };
  expect(await urls.drop(entry, { filter: { depth: 1 }, ...all })).toMatchObject({ moved: 1 });
  expect(await urls.retry(entry, { filter: { reason: 'ok' }, ...all })).toMatchObject({ moved: 1 });
  expect(await found()).toEqual(['queued', 'refused']);
  await expect(urls.relink({ ...entry, ownCode: true }, '')).rejects.toMatchObject({ code: 'usage' });
  await w.frontier.close();
});

it('answers everything that is recorded about a URL, and who links to it', async () => {
  const { w, urls } = await elsewhere();
  const later = `${seed}later`;
  expect(await urls.facts(entry, seed)).toMatchObject({
    url: seed,
    story: { state: 'settled', record: { verdict: 'done' } },
    links: { total: 1, first: [{ to: later, rel: 'a' }] },
    items: { total: 0, first: [] },
  });
  expect(await urls.facts(entry, later)).toMatchObject({ story: undefined, links: { total: 0 } });
  expect(await urls.linksTo(entry, later, '')).toEqual({
    found: [{ from: seed, rel: 'a' }],
    searched: 1,
    next: undefined,
  });
  expect((await urls.linksTo(entry, seed, '')).found).toEqual([]);
  await urls.relink(entry, '');
  expect((await urls.facts(entry, later)).story).toMatchObject({ state: 'queued', ahead: 0 });
  await expect(urls.linksTo(entry, later, 'not-a-cursor')).rejects.toMatchObject({ code: 'usage' });
  await expect(urls.facts(entry, 'mailto:me')).rejects.toMatchObject({ code: 'usage' });
  await w.frontier.close();
});

it('says where URLs are not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-urls-'));
  const urls = createCrawlUrls({
    clock: testClock(),
    version: '1.2.3',
    frontier: undefined,
    rules: settableRules(),
    running: () => undefined,
    folderOf: () => folder,
  });
  await expect(urls.search(entry, { filter: {}, after: '', limit: 1 })).rejects.toMatchObject({
    code: 'not-found',
  });
  rmSync(folder, { recursive: true });
});
