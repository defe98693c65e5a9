import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, WebfarerError } from '@webfarer/protocol';
import { safeName } from '@webfarer/protocol/crawl';
import { syncFolder } from '@webfarer/protocol/node';
import { type Manifest, readManifest, writeManifest } from '../folder/manifest.ts';
import { drainInto } from '../folder/segment-folders.ts';
import type { RedisFrontier } from '../frontier/redis/redis-frontier.ts';
import { segmentFolder } from '../results/draining/segment-file.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { deletedEntries } from '../catalog/deletion.ts';
import { createCrawlDeleter, type KnownCrawl } from './crawl-deleter.ts';
import { openSqliteCatalog } from '../catalog/sqlite-catalog.ts';

export interface OwnCrawlsOptions {
  /** The coordinator's data folder. */
  folder: string;
  clock: Clock;
  /** The store that all its crawls are kept in; undefined: each is kept in its folder. */
  frontier: RedisFrontier | undefined;
  /** Ends the work on a crawl in this process, if there is any, and closes its files. */
  close: (crawl: KnownCrawl) => Promise<void>;
  failed: (error: unknown) => void;
}

/** The folders of the crawls that a coordinator keeps below its own, and the catalog that lists them. */
export interface OwnCrawls {
  folderOf(name: string): string;
  /** Which crawls there are. */
  catalog(): Catalog;
  /** Erases what is left here of a deleted crawl of this name, so that another may begin. */
  clear(name: string): Promise<void>;
  /** Enters an open crawl in the catalog, and notes in its folder which of that name it is. */
  enter(manifest: Manifest, at: string): Promise<KnownCrawl>;
  /** Deletes the crawl of this name, wherever it runs, and all that is kept of it. False: there is none. */
  delete(name: string): Promise<boolean>;
  /** Ends deletions that were cut off, and follows those of other coordinators. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const catalogName = 'catalog.db';
const crawlsName = 'crawls';
/** A folder on its way out: it no longer has the name of a crawl, so that another one may take it. */
const leaving = '.deleted-';
/** One coordinator erases at a time; it says so again with each look. */
const ERASING_MS = 5_000;

export function createOwnCrawls({ folder, clock, frontier, close, failed }: OwnCrawlsOptions): OwnCrawls {
  const below = join(folder, crawlsName);
  let own: Catalog | undefined;

  function catalog(): Catalog {
    return frontier?.catalog ?? (own ??= openSqliteCatalog(join(folder, catalogName)));
  }

  const folderOf = (name: string) => join(below, safeName(name));

  async function names(): Promise<string[]> {
    return existsSync(below) ? await readdir(below) : [];
  }

  async function known(): Promise<KnownCrawl[]> {
    const found: KnownCrawl[] = [];
    for (const name of await names()) {
      const manifest = await readManifest(join(below, name)).catch(() => undefined);
      if (manifest) found.push(knownIn(manifest));
    }
    return found;
  }

  async function eraseHere(crawl: KnownCrawl): Promise<void> {
    await close(crawl);
    const at = folderOf(crawl.name);
    const manifest = await readManifest(at).catch(() => undefined);
    if (!manifest || knownIn(manifest).nonce !== crawl.nonce) return;
    const aside = join(below, leaving + randomUUID());
    if (frontier)
      await rm(join(drainInto(folder, '').folder, segmentFolder(crawl.id)), { recursive: true, force: true });
    await rename(at, aside);
    await syncFolder(below);
    await rm(aside, { recursive: true, force: true });
  }

  async function eraseShared(crawls: readonly KnownCrawl[]): Promise<boolean> {
    if (!frontier) return true;
    if (!(await frontier.claim('erase-crawls', ERASING_MS))) return false;
    await frontier.erase(crawls);
    return true;
  }

  let deleter: ReturnType<typeof createCrawlDeleter> | undefined;
  function deleting(): ReturnType<typeof createCrawlDeleter> {
    if (deleter) return deleter;
    deleter = createCrawlDeleter({ catalog: catalog(), clock, known, eraseHere, eraseShared, failed });
    deleter.start();
    return deleter;
  }

  return {
    folderOf,
    catalog,
    async clear(name) {
      const manifest = await readManifest(folderOf(name)).catch(() => undefined);
      if (!manifest || !(frontier || existsSync(join(folder, catalogName)))) return;
      const crawl = knownIn(manifest);
      const entry = await catalog().get(crawl.id);
      const isAnother = entry !== undefined && manifest.nonce !== undefined && entry.nonce !== crawl.nonce;
      const isDeleted = async () =>
        (await catalog().wasRemoved(crawl.nonce)) ||
        (await deletedEntries(catalog())).some(({ nonce }) => nonce === crawl.nonce);
      if (isAnother || (await isDeleted())) await eraseHere(crawl);
    },
    async enter(manifest, at) {
      const crawl = knownIn(manifest);
      if (frontier) {
        const entry = await catalog().get(crawl.id);
        if (!entry) throw new WebfarerError('not-found', `the crawl ${manifest.name} was deleted meanwhile`);
        if (entry.nonce === crawl.nonce) return crawl;
        manifest.nonce = entry.nonce;
        await writeManifest(at, manifest);
        return { ...crawl, nonce: entry.nonce };
      }
      deleting();
      const { entry } = await catalog().create({
        ...crawl,
        createdAtMs: Math.round(clock.now()),
        job: manifest.job,
        seeds: manifest.seeds,
        tags: [],
        wanted: 'running',
        durability: 'strict',
        ownCode: manifest.ownCode ?? false,
      });
      return { ...crawl, nonce: entry.nonce };
    },
    async delete(name) {
      if (!frontier && !existsSync(join(folder, catalogName))) return false;
      const entry = await catalog().find(name);
      return entry !== undefined && (await deleting().delete(entry));
    },
    async start() {
      for (const name of await names())
        if (name.startsWith(leaving)) await rm(join(below, name), { recursive: true, force: true });
      if (frontier || existsSync(join(folder, catalogName))) deleting();
    },
    async stop() {
      await deleter?.stop();
      await own?.close();
    },
  };
}

/** In its own folder a crawl has an id that no other has. */
function knownIn({ id, name, nonce }: Manifest): KnownCrawl {
  return { id, name, nonce: nonce ?? id };
}
