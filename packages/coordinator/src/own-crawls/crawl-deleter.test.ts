import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { newEntry } from '../catalog/catalog.suite.ts';
import { followCatalog } from './catalog-follower.ts';
import { createCrawlDeleter, type KnownCrawl } from './crawl-deleter.ts';
import { markDeleted } from '../catalog/deletion.ts';
import { openSqliteCatalog } from '../catalog/sqlite-catalog.ts';

const clock = systemClock();
let folder: string;
let ends: (() => unknown)[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-deleter-'));
  ends = [() => rmSync(folder, { recursive: true })];
});

afterEach(async () => {
  for (const end of ends.toReversed()) await end();
});

function openCatalog(): Catalog {
  const catalog = openSqliteCatalog(join(folder, 'catalog.db'));
  ends.push(() => catalog.close());
  return catalog;
}

/** A coordinator that has these crawls, and what it erased. */
function coordinator(
  has: KnownCrawl[],
  { dies = false, shares = true, stuckHere = new Set<string>(), stuckShared = new Set<string>() } = {},
) {
  const catalog = openCatalog();
  const here: string[] = [];
  const shared: string[] = [];
  const failed: unknown[] = [];
  const stuck: string[] = [];
  const gone: string[] = [];
  const deleter = createCrawlDeleter({
    catalog,
    clock,
    known: () => Promise.resolve(has),
    eraseHere(crawl) {
      if (stuckHere.has(crawl.id)) return Promise.reject(new Error('not permitted'));
      here.push(crawl.nonce);
      return Promise.resolve();
    },
    eraseShared(crawls) {
      if (dies) return Promise.reject(new Error('killed'));
      if (crawls.some(({ id }) => stuckShared.has(id))) return Promise.reject(new Error('no room'));
      if (shares) shared.push(...crawls.map(({ nonce }) => nonce));
      return Promise.resolve(shares);
    },
    stuck: ({ id }, error) => stuck.push(`${id}: ${(error as Error).message}`),
    gone: ({ id }) => gone.push(id),
    failed: (error) => failed.push(error),
  });
  const follower = followCatalog({ ...deleter, catalog, clock, failed: (error) => failed.push(error) });
  const start = () => {
    deleter.start();
    follower.start();
  };
  ends.push(() => Promise.all([deleter.stop(), follower.stop()]));
  return { catalog, deleter, start, here, shared, failed, stuck, gone };
}

async function create(catalog: Catalog, id: string, nonce = `nonce-${id}`): Promise<CatalogEntry> {
  return (await catalog.create(newEntry(id, { nonce }))).entry;
}

const left = async (catalog: Catalog) =>
  (await catalog.list({ after: '', limit: 9, states: [], tags: [] })).entries.map(({ nonce }) => nonce);

it('deletes a crawl here and in what is shared, once', async () => {
  const { catalog, deleter, here, shared } = coordinator([]);
  const [x] = [await create(catalog, 'x'), await create(catalog, 'y')];
  expect(await deleter.delete(x)).toBe(true);
  expect([here, shared]).toEqual([['nonce-x'], ['nonce-x']]);
  expect(await left(catalog)).toEqual(['nonce-y']);
  expect(await deleter.delete(x)).toBe(false);
});

it('frees here what another coordinator deletes', async () => {
  const a = coordinator([]);
  const b = coordinator([], { shares: false });
  const x = await create(a.catalog, 'x');
  b.start();
  await vi.waitFor(async () => expect((await b.catalog.changes('')).generation).not.toBe(''));
  const deleted = b.deleter.delete(x);
  await vi.waitFor(() => expect(b.here).toEqual(['nonce-x']));
  // The one that shares does the rest.
  a.start();
  await vi.waitFor(async () => expect(await left(a.catalog)).toEqual([]), 5_000);
  expect(a.shared).toEqual(['nonce-x']);
  expect(await deleted).toBe(true);
});

it('ends a deletion whose coordinator died', async () => {
  const dead = coordinator([], { dies: true });
  const x = await create(dead.catalog, 'x');
  await expect(dead.deleter.delete(x)).rejects.toThrow('killed');
  const young = coordinator([x]);
  young.start();
  await vi.waitFor(async () => expect(await left(young.catalog)).toEqual([]), 5_000);
  expect([young.here, young.shared]).toEqual([['nonce-x'], ['nonce-x']]);
});

it.each(['here', 'in what is shared'])(
  'does not let one that cannot be erased %s keep others',
  async (where) => {
    const bad = new Set(['bad']);
    const { catalog, deleter, start, failed, stuck, gone } = coordinator(
      [],
      where === 'here' ? { stuckHere: bad } : { stuckShared: bad },
    );
    const [crawl, other] = [await create(catalog, 'bad'), await create(catalog, 'other')];
    start();
    const why = where === 'here' ? 'not permitted' : 'no room';
    await expect(deleter.delete(crawl)).rejects.toThrow(why);
    expect(stuck[0]).toBe(`bad: ${why}`);
    expect(await deleter.delete(other)).toBe(true);
    expect(deleter.stuck().map(({ id }) => id)).toEqual(['bad']);
    // It is tried again by itself.
    await vi.waitFor(() => expect(stuck.length).toBeGreaterThan(1), 5_000);
    bad.clear();
    await vi.waitFor(async () => expect(await left(catalog)).toEqual([]), 10_000);
    expect([failed, deleter.stuck(), gone]).toEqual([[], [], ['other', 'bad']]);
  },
);

it('frees at its start what was deleted while it was down, and nothing else', async () => {
  const other = coordinator([]);
  const { catalog } = other;
  const gone = await create(catalog, 'gone');
  const before = await create(catalog, 'again', 'nonce-before');
  for (const crawl of [gone, before]) await other.deleter.delete(crawl);
  const stays = await create(catalog, 'stays');
  await create(catalog, 'again', 'nonce-after');
  const unknown = { id: 'of-another-store', name: 'x', nonce: 'nonce-unknown' } as KnownCrawl;
  const { start, here, failed } = coordinator([gone, unknown, before, stays]);
  start();
  await vi.waitFor(() => expect(here).toEqual(['nonce-gone', 'nonce-before']), 5_000);
  expect(failed).toEqual([]);
});

it('marks the crawl that is meant, whatever changes meanwhile', async () => {
  const catalog = openCatalog();
  const entry = await create(catalog, 'x');
  await catalog.change(entry.id, entry.version, { tags: ['later'] });
  expect(await markDeleted(catalog, entry)).toMatchObject({ nonce: entry.nonce, wanted: 'deleted' });
  expect(await markDeleted(catalog, entry)).toBeUndefined();
  const young = await create(catalog, 'x', 'nonce-young');
  expect(await markDeleted(catalog, entry)).toBeUndefined();
  expect(await catalog.get(entry.id)).toEqual(young);
});
