import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { Forgotten } from '../../crawl/crawl-host.ts';
import type { Tombstone } from '../../frontier/frontier.ts';

export interface ForgettingOrder {
  pattern: string;
  dryRun: boolean;
  /** Folders of others that are known to be deleted, by their members. */
  gone: readonly string[];
}

/** Deletes hosts from crawls that nobody works on. */
export interface CrawlForgetting {
  /**
   * Waits for the end of a crawl that is ending, and rejects with `conflict` where it runs. With `dryRun` it only counts, also
   * in a crawl that runs.
   */
  forget(entry: CatalogEntry, order: ForgettingOrder): Promise<Forgotten>;
  forgotten(entry: CatalogEntry): Promise<Tombstone[]>;
}
