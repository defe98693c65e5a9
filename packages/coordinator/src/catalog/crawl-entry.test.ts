import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newEntry } from './catalog.suite.ts';
import type { Catalog, CatalogEntry } from './catalog.ts';
import { type CrawlEntry, crawlEntry } from './crawl-entry.ts';
import { openSqliteCatalog } from './sqlite-catalog.ts';

let folder: string;
let catalog: Catalog;
let first: CatalogEntry;
let entry: CrawlEntry;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-entry-'));
  catalog = openSqliteCatalog(join(folder, 'catalog.db'));
  first = (await catalog.create(newEntry('x', { job: { name: 'x', limits: { pages: 1 } } }))).entry;
  entry = crawlEntry(catalog, first, first);
});
afterEach(async () => {
  await catalog.close();
  rmSync(folder, { recursive: true, force: true });
});

const edit = (pages: number, more: { version?: number; isRescoped?: boolean } = {}) => ({
  input: { name: 'x', limits: { pages } },
  atMs: 5,
  by: 'ana',
  isRescoped: false,
  ...more,
});
const now = async () => (await catalog.get(first.id)) as CatalogEntry;

it('keeps the job and who changed it in one step; the same once more changes nothing', async () => {
  await entry.keepJob(edit(2));
  const { version } = await now();
  await entry.keepJob(edit(2));
  expect(await now()).toMatchObject({
    version,
    job: { limits: { pages: 2 } },
    edits: {
      earlier: 0,
      kept: [{ seq: 1, atMs: 5, by: 'ana', changes: [{ field: 'limits.pages', from: 1, to: 2 }] }],
    },
  });
});

it('refuses an edit of an older version, and leaves no trace of it', async () => {
  await entry.keepJob(edit(2, { version: first.version }));
  await expect(entry.keepJob(edit(3, { version: first.version }))).rejects.toMatchObject({
    code: 'conflict',
  });
  const { job, edits } = await now();
  expect([job, edits.kept.length]).toEqual([{ name: 'x', limits: { pages: 2 } }, 1]);
});

it('is another run after it was resumed or edited, and the same one until then', async () => {
  const runs = [await entry.run()];
  const change = async (what: () => Promise<unknown>) => {
    await what();
    runs.push(await entry.run());
  };
  await change(() => entry.over('finished', runs.at(-1)));
  expect(runs[1]).toBe(runs[0]);
  await change(() => entry.want('running'));
  await change(() => entry.over('finished', runs.at(-1)));
  expect(runs[3]).toBe(runs[2]);
  await change(() => entry.keepJob(edit(2)));
  expect(new Set(runs).size).toBe(3);
});

it('is not over where an operator has resumed it since, also one that still ran', async () => {
  const run = await entry.run();
  await entry.want('running');
  expect(await entry.over('limited', run)).toBe(false);
  expect((await now()).wanted).toBe('running');
  expect(await entry.over('limited', await entry.run())).toBe(true);
  expect((await now()).wanted).toBe('limited');
});

it('has a change of the scope carried out by those who have its job in force', async () => {
  await entry.keepJob(edit(2, { isRescoped: true }));
  expect(await entry.pendingSweep()).toBeUndefined();
  entry.sawJob(await now());
  expect(await entry.pendingSweep()).toBe(1);
  await entry.swept(1, { dropped: 4, restored: 0, linksNotKnown: {} });
  expect(await entry.pendingSweep()).toBeUndefined();
  expect((await now()).edits.kept[0]?.sweep).toMatchObject({ state: 'done', dropped: 4 });
});
