import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CrawlId } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Catalog } from '../catalog/catalog.ts';
import { newEntry } from '../catalog/catalog.suite.ts';
import { openSqliteCatalog } from '../catalog/sqlite-catalog.ts';
import { newManifest, writeManifest } from '../folder/manifest.ts';
import { keptOf } from './kept-crawl.ts';

let folder: string;
let catalog: Catalog;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-kept-crawl-'));
  catalog = openSqliteCatalog(join(folder, 'catalog.db'));
});
afterEach(async () => {
  await catalog.close();
  rmSync(folder, { recursive: true });
});

const [kept, other] = ['https://a.test/', 'https://b.test/'];
const jobOf = (seeds: string[]) => ({ name: 'shop', seeds });

/** The crawl `shop` of a store, and a folder that a crawl of this nonce and name has left here, with one of its seeds. */
async function withFolderOf(nonce: string) {
  const seeds = [kept, other];
  const { entry } = await catalog.create(newEntry('shop', { nonce: 'new', seeds, job: jobOf(seeds) }));
  const about = { webfarer: '0', name: 'shop', baseFolder: '/before', userAgent: 'x', nowMs: 0 };
  const own = { id: 'shop' as CrawlId, nonce, seeds: [kept], job: jobOf([kept]) };
  await writeManifest(folder, newManifest({ ...about, ...own }));
  const found = await keptOf(entry, { places: [folder], catalog, frontier: {} });
  return { found, entry: await catalog.find('shop') };
}

it('drops the seeds that were forgotten in its folder', async () => {
  const { found, entry } = await withFolderOf('new');
  expect(found).toMatchObject({ at: folder, baseFolder: '/before', entry: { seeds: [kept] } });
  expect(entry).toMatchObject({ seeds: [kept], job: jobOf([kept]) });
});

it('keeps all seeds where the folder is of an earlier crawl of its name, which was deleted meanwhile', async () => {
  const { found, entry } = await withFolderOf('old');
  expect(found).toEqual({ at: folder, entry });
  expect(entry).toMatchObject({ seeds: [kept, other], job: jobOf([kept, other]) });
});
