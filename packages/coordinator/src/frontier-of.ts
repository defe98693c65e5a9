import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type DatedClock, WebfarerError } from '@webfarer/protocol';
import type { CatalogEntry } from './catalog/catalog.ts';
import type { Crawl } from './crawl/crawl.ts';
import { databaseName } from './folder/manifest.ts';
import type { Frontier } from './frontier/frontier.ts';
import { openSqliteFrontier } from './frontier/sqlite/sqlite-frontier.ts';
import type { CountHistory } from './history/count-history.ts';
import type { HostHistory } from './history/host-history.ts';
import type { Results } from './results/results.ts';

/** What can be asked of a crawl beside those who work on it. */
export type ReadFrontier = Frontier & {
  results: Results;
  history: CountHistory;
  hostHistory: HostHistory;
};

export interface FrontierOfOptions {
  clock: DatedClock;
  /** The store that all crawls are kept in; undefined: each is kept in its folder. */
  frontier: ReadFrontier | undefined;
  /** The crawl, where this coordinator works on it. */
  running: (entry: CatalogEntry) => Crawl | undefined;
  folderOf: (name: string) => string;
}

/** Where crawls are kept, whether somebody works on them or not. */
export interface FrontierOf {
  reading<T>(entry: CatalogEntry, read: (from: ReadFrontier) => Promise<T>): Promise<T>;
  /** Of a crawl that is kept in its folder. Throws where it is not on this machine. */
  databaseOf(entry: CatalogEntry): { folder: string; path: string };
}

export function frontierOf({ clock, frontier, running, folderOf }: FrontierOfOptions): FrontierOf {
  function databaseOf(entry: CatalogEntry): { folder: string; path: string } {
    const folder = running(entry)?.folder ?? folderOf(entry.name);
    const path = join(folder, databaseName);
    if (existsSync(path)) return { folder, path };
    throw new WebfarerError('not-found', `the URLs of the crawl ${entry.name} are not on this machine`, {
      next: 'Ask the coordinator that keeps it.',
    });
  }

  return {
    databaseOf,
    async reading(entry, read) {
      if (frontier) return await read(frontier);
      // Beside the process that writes it, which may be this one.
      const file = openSqliteFrontier({ path: databaseOf(entry).path, clock, readOnly: true });
      try {
        return await read(file);
      } finally {
        await file.close();
      }
    },
  };
}
