import { type DatedClock, WebfarerError } from '@webfarer/protocol';
import { join } from 'node:path';
import type { CrawlForgetting } from './api/call/crawl-forgetting.ts';
import type { Catalog, CatalogEntry } from './catalog/catalog.ts';
import { isOpen } from './catalog/crawl-entry.ts';
import type { CrawlHost } from './crawl/crawl-host.ts';
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
  host: CrawlHost;
  /** Whether this coordinator works on the crawl. */
  isRunning: (entry: CatalogEntry) => boolean;
  folderOf: (name: string) => string;
  /** Workers keep a crawl that was stopped open, for it may be resumed: has them complete its files. */
  closeAtWorkers: (entry: CatalogEntry) => void;
}

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

  async function inFile<T>(folder: string, work: (file: SqliteFrontier) => Promise<T>): Promise<T> {
    const file = openSqliteFrontier({ path: join(folder, databaseName), clock });
    try {
      return await work(file);
    } finally {
      await file.close();
    }
  }

  return {
    async forget(entry, { pattern, dryRun, gone }) {
      if (isOpen(entry.wanted) || options.isRunning(entry)) throw runs(entry);
      const { folder, manifest } = await manifestOf(entry);
      const parts = { folder, manifest, pattern, dryRun, gone, clock };
      if (!dryRun) options.closeAtWorkers(entry);
      // Nobody can begin with the crawl in its folder meanwhile.
      const lock = lockFolder(folder);
      try {
        const found = frontier
          ? await host.erase({ ...parts, frontier })
          : await inFile(folder, async (file) => {
              if (!dryRun) await file.releaseAll();
              return await host.erase({ ...parts, frontier: file });
            });
        if (!dryRun) await followManifest(options.catalog(), entry, folder);
        return found;
      } finally {
        lock.release();
      }
    },
    async forgotten(entry) {
      if (frontier) return await frontier.forgotten(entry.id);
      const { folder } = await manifestOf(entry);
      const file = openSqliteFrontier({ path: join(folder, databaseName), clock, readOnly: true });
      try {
        return await file.forgotten(entry.id);
      } finally {
        await file.close();
      }
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
