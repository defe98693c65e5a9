import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { Forgotten } from '../../crawl/crawl-host.ts';
import type { Tombstone } from '../../frontier/frontier.ts';

/** Deletes hosts from crawls that nobody works on. */
export interface CrawlForgetting {
  /** Rejects with `conflict` where the crawl runs. */
  forget(entry: CatalogEntry, order: { pattern: string; dryRun: boolean }): Promise<Forgotten>;
  forgotten(entry: CatalogEntry): Promise<Tombstone[]>;
}
