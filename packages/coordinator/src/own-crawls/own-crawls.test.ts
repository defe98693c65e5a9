import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Manifest, newManifest, readManifest, writeManifest } from '../folder/manifest.ts';
import type { KnownCrawl } from './crawl-deleter.ts';
import { createOwnCrawls, type Entering, type OwnCrawls } from './own-crawls.ts';
import { openSqliteCatalog } from '../catalog/sqlite-catalog.ts';

const clock = systemClock();
let folder: string;
let opened: OwnCrawls[];
let closed: string[];
let changed: string[];
let forgotten: string[];
let close: (crawl: KnownCrawl) => Promise<void>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-own-crawls-'));
  opened = [];
  closed = [];
  changed = [];
  forgotten = [];
  close = ({ name }) => Promise.resolve(void closed.push(name));
});

afterEach(async () => {
  for (const one of opened) await one.stop();
  rmSync(folder, { recursive: true });
});

async function open(): Promise<OwnCrawls> {
  const failed = (error: unknown) => expect.fail(String(error));
  const own = createOwnCrawls({
    objectsOf: () => Promise.resolve(undefined),
    folder,
    clock,
    frontier: undefined,
    close,
    forget: ({ name }) => Promise.resolve(void forgotten.push(name)),
    changed: (entries) => changed.push(...entries.map(({ name, wanted }) => `${name} ${wanted}`)),
    missed: () => Promise.resolve(),
    failed,
  });
  opened.push(own);
  await own.start();
  return own;
}

async function begin(own: OwnCrawls, name: string, more: Partial<Entering> = {}): Promise<Manifest> {
  const at = own.folderOf(name);
  await own.clear(name);
  mkdirSync(at, { recursive: true });
  const about = { webfarer: '0', name, job: {}, baseFolder: folder, seeds: [], userAgent: 'x', nowMs: 0 };
  const manifest = newManifest(about);
  await writeManifest(at, manifest);
  writeFileSync(join(at, 'archive.warc'), 'x'.repeat(100_000));
  await own.enter(manifest, { at, fresh: false, fromCatalog: false, tags: [], ...more });
  return manifest;
}

const crawlFolders = () => readdirSync(join(folder, 'crawls'));

it('deletes a crawl with its folder, and its name is free', async () => {
  const own = await open();
  const old = await begin(own, 'shop');
  await begin(own, 'news');
  expect(await own.delete('shop')).toBe(true);
  expect([closed, forgotten]).toEqual([['shop'], ['shop']]);
  expect(crawlFolders()).toEqual(['news']);
  expect(await own.delete('shop')).toBe(false);
  const young = await begin(own, 'shop');
  expect(young.id).not.toBe(old.id);
  expect(crawlFolders()).toEqual(['news', 'shop']);
});

it('has no catalog before it has a crawl', async () => {
  const own = await open();
  expect(await own.delete('shop')).toBe(false);
  expect(existsSync(join(folder, 'catalog.db'))).toBe(false);
});

it('ends at its start a deletion that a crash cut off', async () => {
  const first = await open();
  await begin(first, 'shop');
  await begin(first, 'news');
  await first.stop();
  // It died right after the crawl was marked, and another time with its folder on the way out.
  const catalog = openSqliteCatalog(join(folder, 'catalog.db'));
  const entry = await catalog.find('shop');
  await catalog.change(entry?.id ?? ('' as never), entry?.version ?? 0, { wanted: 'deleted' });
  await catalog.close();
  mkdirSync(join(folder, 'crawls', '.deleted-1', 'deep'), { recursive: true });
  await open();
  await vi.waitFor(() => expect(crawlFolders()).toEqual(['news']), 10_000);
});

it('gives the name of a deleted crawl to a new one, though nothing was erased yet', async () => {
  const own = await open();
  const old = await begin(own, 'shop');
  const catalog = openSqliteCatalog(join(folder, 'catalog.db'));
  const entry = await catalog.find('shop');
  await catalog.change(entry?.id ?? ('' as never), entry?.version ?? 0, { wanted: 'deleted' });
  const young = await begin(own, 'shop');
  expect(young.id).not.toBe(old.id);
  await vi.waitFor(async () => {
    const { entries } = await catalog.list({ after: '', limit: 9, states: [], tags: [] });
    expect(entries.map(({ id }) => id)).toEqual([young.id]);
  });
  expect(await readManifest(own.folderOf('shop'))).toMatchObject({ id: young.id });
  await catalog.close();
});

it('finds the folder of a crawl, below its own or its own', async () => {
  const own = await open();
  const below = await begin(own, 'shop');
  expect(await own.folderHolding({ ...below, nonce: below.id })).toBe(own.folderOf('shop'));
  const about = {
    webfarer: '0',
    name: 'x',
    job: {},
    baseFolder: folder,
    seeds: [],
    userAgent: 'x',
    nowMs: 0,
  };
  const itself = newManifest(about);
  await writeManifest(folder, itself);
  expect(await own.folderHolding({ ...itself, nonce: itself.id })).toBe(folder);
  const gone = { ...itself, id: 'another' as Manifest['id'], nonce: 'another' };
  await expect(own.folderHolding(gone)).rejects.toThrow('the folder of the crawl x is missing');
});

it('lists a crawl that starts over in place of the one before, and never one for another', async () => {
  const own = await open();
  const old = await begin(own, 'shop', { tags: ['weekly'] });
  await expect(begin(own, 'shop')).rejects.toThrow('another crawl of this coordinator is named shop');
  const young = await begin(own, 'shop', { fresh: true });
  expect(forgotten).toEqual(['shop']);
  expect(await own.catalog().get(old.id)).toBeUndefined();
  expect(await own.catalog().find('shop')).toMatchObject({ id: young.id, tags: [] });
  // Begun over in a folder of its own, it must not take the name of the one that is kept below.
  const elsewhere = { at: join(folder, 'elsewhere'), fresh: true };
  mkdirSync(elsewhere.at);
  const manifest = { ...young, id: 'third' as Manifest['id'] };
  await expect(own.enter(manifest, { ...elsewhere, fromCatalog: false, tags: [] })).rejects.toThrow(
    'is named shop',
  );
});

it('tells what another process changes in the catalog', async () => {
  const own = await open();
  await begin(own, 'shop');
  const other = openSqliteCatalog(join(folder, 'catalog.db'));
  const entry = await other.find('shop');
  await vi.waitFor(async () => {
    const now = await other.find('shop');
    await other.change(entry?.id ?? ('' as never), now?.version ?? 0, {
      wanted: 'paused',
      tags: [String(now?.version)],
    });
    expect(changed).toContain('shop paused');
  });
  await other.close();
});
