import { type DatedClock, WebfarerError } from '@webfarer/protocol';
import { join } from 'node:path';
import type { CrawlForgetting, ForgettingOrder } from './api/call/crawl-forgetting.ts';
import type { Catalog, CatalogEntry } from './catalog/catalog.ts';
import { isOpen } from './catalog/crawl-entry.ts';
import type { Crawl } from './crawl/crawl.ts';
import type { CrawlHost, Forgotten } from './crawl/crawl-host.ts';
import { lockFolder } from './folder/folder-lock.ts';
import { databaseName, readManifest } from './folder/manifest.ts';
import type { FolderFrontier } from './folder/open-frontier.ts';
import { openSqliteFrontier, type SqliteFrontier } from './frontier/sqlite/sqlite-frontier.ts';
import { dropForgottenSeeds } from './own-crawls/kept-crawl.ts';

export interface CrawlForgettingOptions {
  clock: DatedClock;
  /** The store that all crawls are kept in; undefined: each is kept in its folder. */
  frontier: FolderFrontier | undefined;
  catalog: () => Catalog;
  /** The crawl as it is wanted now. */
  find: (id: CatalogEntry['id']) => Promise<CatalogEntry | undefined>;
  host: CrawlHost;
  /** The crawl, where this coordinator works on it or did so lately. */
  lately: (entry: CatalogEntry) => Pick<Crawl, 'ended' | 'state'> | undefined;
  /** Whether this coordinator works on the crawl. */
  isRunning: (entry: CatalogEntry) => boolean;
  folderOf: (name: string) => string;
  /** Workers keep a crawl that was stopped open, for it may be resumed: has them complete its files. */
  closeAtWorkers: (entry: CatalogEntry) => void;
}

/** A stop waits up to 20 s for workers, and then for the outputs. Of a crawl that waits for room on a disk nobody knows how long. */
const ENDING_MS = 60_000;

export function createCrawlForgetting(options: CrawlForgettingOptions): CrawlForgetting {
  const { clock, frontier, host } = options;

  async function manifestOf({ name }: CatalogEntry) {
    const folder = options.folderOf(name);
    const manifest = await readManifest(folder);
    if (manifest) return { folder, manifest };
    throw new WebfarerError('not-found', `the folder of the crawl ${name} is not on this machine`, {
      next: 'Ask the coordinator that keeps it.',
    });
  }

  async function inFile<T>(
    folder: string,
    { readOnly }: { readOnly: boolean },
    work: (file: SqliteFrontier) => Promise<T>,
  ): Promise<T> {
    const file = openSqliteFrontier({ path: join(folder, databaseName), clock, readOnly });
    try {
      return await work(file);
    } finally {
      await file.close();
    }
  }

  /** Resolves when nothing of the crawl is open here. Its outputs may still be written when it was stopped or is over. */
  async function endedHere(entry: CatalogEntry): Promise<void> {
    const crawl = options.lately(entry);
    // Its entry says so only when its outputs are written.
    const isEnding = crawl !== undefined && crawl.state !== 'running' && crawl.state !== 'paused';
    if (isOpen(entry.wanted) && !isEnding) throw runs(entry);
    const over = new AbortController();
    const late = clock.sleep(ENDING_MS, over.signal).then(() => {
      throw stillEnding(entry);
    });
    try {
      await Promise.race([crawl?.ended.catch(() => undefined), late]);
    } finally {
      over.abort();
    }
    const now = await options.find(entry.id);
    if (now && (isOpen(now.wanted) || options.isRunning(now))) throw runs(now);
  }

  /** Counting changes nothing, so it needs no crawl at rest. What workers save meanwhile may be missing in it. */
  async function count(entry: CatalogEntry, { pattern, gone }: ForgettingOrder): Promise<Forgotten> {
    const { folder, manifest } = await manifestOf(entry);
    const parts = { folder, manifest, pattern, dryRun: true, gone, clock };
    if (frontier) return await host.erase({ ...parts, frontier });
    return await inFile(folder, { readOnly: true }, (file) => host.erase({ ...parts, frontier: file }));
  }

  return {
    async forget(entry, order) {
      if (order.dryRun) return await count(entry, order);
      const { pattern, gone } = order;
      await endedHere(entry);
      const { folder, manifest } = await manifestOf(entry);
      const parts = { folder, manifest, pattern, dryRun: false, gone, clock };
      options.closeAtWorkers(entry);
      // Nobody can begin with the crawl in its folder meanwhile.
      const lock = lockFolder(folder);
      try {
        const found = frontier
          ? await host.erase({ ...parts, frontier })
          : await inFile(folder, { readOnly: false }, async (file) => {
              await file.releaseAll();
              return await host.erase({ ...parts, frontier: file });
            });
        await followManifest(options.catalog(), entry, folder);
        return found;
      } finally {
        lock.release();
      }
    },
    async forgotten(entry) {
      if (frontier) return await frontier.forgotten(entry.id);
      const { folder } = await manifestOf(entry);
      return await inFile(folder, { readOnly: true }, (file) => file.forgotten(entry.id));
    },
  };
}

/** Seeds of the host are gone from the manifest: the catalog would otherwise bring them back. */
async function followManifest(catalog: Catalog, entry: CatalogEntry, folder: string): Promise<void> {
  const manifest = await readManifest(folder);
  if (manifest) await dropForgottenSeeds(catalog, entry, manifest);
}

function runs({ name }: CatalogEntry): WebfarerError {
  return new WebfarerError('conflict', `the crawl ${name} is running`, {
    next: 'Stop it first, then forget the host, then resume the crawl.',
  });
}

function stillEnding({ name }: CatalogEntry): WebfarerError {
  return new WebfarerError('conflict', `the crawl ${name} is still ending after ${ENDING_MS / 1_000} s`, {
    next: 'Its status shows what it waits for. Forget the host when it has ended.',
  });
}
