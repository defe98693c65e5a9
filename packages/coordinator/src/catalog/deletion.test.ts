import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CrawlId } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Catalog, CatalogEntry } from './catalog.ts';
import { newEntry } from './catalog.suite.ts';
import { finishDeletions, markDeleted } from './deletion.ts';
import { openSqliteCatalog } from './sqlite-catalog.ts';

let folder: string;
let catalog: Catalog;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-deletion-'));
  catalog = openSqliteCatalog(join(folder, 'catalog.db'));
});

afterEach(async () => {
  await catalog.close();
  rmSync(folder, { recursive: true });
});

async function create(id: string, nonce = `nonce-${id}`): Promise<CatalogEntry> {
  mkdirSync(join(folder, nonce));
  return (await catalog.create(newEntry(id, { nonce }))).entry;
}

const erase = async (entries: readonly CatalogEntry[]) => {
  for (const { nonce } of entries) rmSync(join(folder, nonce), { recursive: true, force: true });
};

const foldersLeft = () => readdirSync(folder).filter((name) => name.startsWith('nonce'));

it('marks the crawl that is meant, whatever changes meanwhile', async () => {
  const entry = await create('x');
  await catalog.change(entry.id, entry.version, { tags: ['later'] });
  expect(await markDeleted(catalog, entry)).toMatchObject({ nonce: entry.nonce, wanted: 'deleted' });
  expect(await markDeleted(catalog, entry)).toBeUndefined();
  const young = await create('x', 'nonce-young');
  expect(await markDeleted(catalog, entry)).toBeUndefined();
  expect(await catalog.get('x' as CrawlId)).toEqual(young);
});

it('resumes what a crash cut off, at any point', async () => {
  const [a, b] = [await create('a'), await create('b'), await create('c')];
  for (const entry of [a, b]) await markDeleted(catalog, entry);
  const crash = async () => {
    await erase([a]);
    throw new Error('crash');
  };
  await expect(finishDeletions({ catalog, erase: crash })).rejects.toThrow('crash');
  await catalog.close();
  catalog = openSqliteCatalog(join(folder, 'catalog.db'));
  expect(await finishDeletions({ catalog, erase })).toEqual(['a', 'b']);
  expect(foldersLeft()).toEqual(['nonce-c']);
  expect(await finishDeletions({ catalog, erase: () => Promise.reject(new Error('nothing to do')) })).toEqual(
    [],
  );
});
