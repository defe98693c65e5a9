import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Manifest, newManifest, readManifest, writeManifest } from '../folder/manifest.ts';
import type { CrawlHost } from '../crawl/crawl-host.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { deletedEntries } from '../catalog/deletion.ts';
import type { KnownCrawl } from './crawl-deleter.ts';
import { createOwnCrawls, type Entering, type OwnCrawls } from './own-crawls.ts';
import { openSqliteCatalog } from '../catalog/sqlite-catalog.ts';

const clock = systemClock();
let folder: string;
let opened: OwnCrawls[];
let closed: string[];
let changed: string[];
let forgotten: string[];
let stuck: string[];
let close: (crawl: KnownCrawl) => Promise<void>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-own-crawls-'));
  opened = [];
  closed = [];
  changed = [];
  forgotten = [];
  stuck = [];
  close = ({ name }) => Promise.resolve(void closed.push(name));
});

afterEach(async () => {
  for (const one of opened) await one.stop();
  rmSync(folder, { recursive: true });
});

async function open(objectsOf: CrawlHost['objectsOf'] = async () => undefined): Promise<OwnCrawls> {
  const failed = (error: unknown) => expect.fail(String(error));
  const own = createOwnCrawls({
    objectsOf,
    folder,
    clock,
    frontier: undefined,
    close: (crawl) => close(crawl),
    forget: ({ name }) => Promise.resolve(void forgotten.push(name)),
    changed: (entries) => changed.push(...entries.map(({ name, wanted }) => `${name} ${wanted}`)),
    missed: () => Promise.resolve(),
    stuck: ({ name }, error) => stuck.push(`${name}: ${(error as Error).message}`),
    gone: () => undefined,
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

it('brings no deleted crawl back for whoever read of it before', async () => {
  const own = await open();
  const old = await begin(own, 'shop');
  expect(await own.delete('shop')).toBe(true);
  const how = { at: own.folderOf('shop'), fresh: false, fromCatalog: true, tags: [] };
  const late = own.enter(old, how).then(
    () => 'entered',
    ({ code }: { code?: string }) => code,
  );
  expect(await late).toBe('not-found');
  expect(await own.existing()?.find('shop')).toBeUndefined();
});

it('tells which crawl cannot be erased, lists it, and tries again', async () => {
  const own = await open();
  const bad = await begin(own, 'bad');
  await begin(own, 'news');
  let isBusy = true;
  close = ({ name }) => (name === 'bad' && isBusy ? Promise.reject(new Error('busy')) : Promise.resolve());
  await expect(own.delete('bad')).rejects.toThrow('busy');
  expect(stuck).toEqual(['bad: busy']);
  expect(own.stuck().map(({ id }) => id)).toEqual([bad.id]);
  expect(await own.delete('news')).toBe(true);
  isBusy = false;
  // By its name as well, although that is free.
  expect(await own.delete('bad')).toBe(true);
  expect([crawlFolders(), own.stuck()]).toEqual([[], []]);
});

it('deletes a folder whose crawl.json cannot be read', async () => {
  const own = await open();
  await begin(own, 'shop');
  const file = join(own.folderOf('shop'), 'crawl.json');
  writeFileSync(file, '{"format":9}');
  expect(await own.delete('shop')).toBe(true);
  expect(crawlFolders()).toEqual([]);
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
  const folderOf = async (manifest: Manifest) => (await own.keptOf(manifest as unknown as CatalogEntry)).at;
  expect(await folderOf(below)).toBe(own.folderOf('shop'));
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
  expect(await folderOf(itself)).toBe(folder);
  const gone = { ...itself, id: 'another' as Manifest['id'] };
  await expect(folderOf(gone)).rejects.toThrow('the folder of the crawl x is missing');
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

it('deletes neither a crawl nor its objects where it was resumed since it was looked at', async () => {
  const done: string[] = [];
  const step = (name: string) => async () => void done.push(name);
  const objects = { address: 's3://archive/shop', mark: step('mark'), purge: step('purge'), close: () => {} };
  const own = await open(async () => ({
    ...objects,
    async check() {
      const now = await own.catalog().find('shop');
      await own.catalog().change(now!.id, now!.version, { wanted: 'running' });
    },
  }));
  await begin(own, 'shop');
  const over = await own.catalog().find('shop');
  expect(await own.retire(over!)).toBe(false);
  expect([done, crawlFolders()]).toEqual([[], ['shop']]);
});

it('keeps the entry of a crawl whose objects are left until somebody has removed them', async () => {
  let isDenied = true;
  const removing = async () => {
    if (isDenied) throw new Error('access is denied');
  };
  const nothing = async () => {};
  const own = await open(async () => ({
    address: 's3://archive/shop',
    check: nothing,
    mark: nothing,
    purge: removing,
    close: () => {},
  }));
  await begin(own, 'shop');
  await expect(own.delete('shop')).rejects.toMatchObject({ code: 'incomplete' });
  expect(crawlFolders()).toEqual([]);
  const [left, ...others] = await deletedEntries(own.catalog());
  expect([left?.name, others]).toEqual(['shop', []]);
  isDenied = false;
  await own.endDeletion(left!);
  expect(await deletedEntries(own.catalog())).toEqual([]);
});

it('gives each name a folder of its own, also where both make the same one, and after a restart', async () => {
  const own = await open();
  const first = await begin(own, 'a b');
  const second = await begin(own, 'a-b');
  const third = await begin(own, 'a/b');
  expect(crawlFolders()).toHaveLength(3);
  const again = await open();
  for (const { id, name } of [first, second, third])
    expect(await readManifest(again.folderOf(name))).toMatchObject({ id, name });
  await again.delete('a b');
  expect(await readManifest(again.folderOf('a-b'))).toMatchObject({ id: second.id });
  expect(crawlFolders()).toHaveLength(2);
});
