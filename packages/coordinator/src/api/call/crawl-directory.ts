import type { CrawlState } from '@webfarer/protocol';
import type { Catalog, CatalogEntry, CatalogPage, CatalogQuery } from '../../catalog/catalog.ts';
import type { Crawl, CrawlEdit } from '../../crawl/crawl.ts';
import type { CrawlListing } from '../../own-crawls/crawl-listing.ts';

/** A crawl that a program asks for. */
export interface CrawlOrder {
  /** The job as it was written; the name is in it. */
  input: unknown;
  tags: readonly string[];
}

/** What an operator may want of a crawl. `reopened`: open again as paused, where it is not open. */
export type SteeredState = 'running' | 'paused' | 'stopped' | 'reopened';

/** The crawls that a coordinator knows, as the API reaches them. */
export interface CrawlDirectory {
  list(query: Omit<CatalogQuery, 'states'> & { states: readonly CrawlState[] }): Promise<CatalogPage>;
  /** By its id, else by its name. */
  find(nameOrId: string): Promise<CatalogEntry | undefined>;
  /** As it is here and now: open, failed, or neither. */
  listing(entry: CatalogEntry): CrawlListing;
  /** The crawl, where it is open at this coordinator. */
  running(entry: CatalogEntry): Crawl | undefined;
  /** The crawl, open here or among those that ended here lately; enough to ask for its last snapshot. */
  lately(entry: CatalogEntry): Crawl | undefined;
  create(order: CrawlOrder): Promise<CatalogEntry>;
  /** From now on this is wanted of the crawl. Answers the entry as it stands. */
  want(entry: CatalogEntry, state: SteeredState): Promise<CatalogEntry>;
  /** Changes the job, whether the crawl is open or not. */
  edit(entry: CatalogEntry, change: CrawlEdit): Promise<void>;
  change: Catalog['change'];
  /** False: it is gone already. */
  delete(entry: CatalogEntry): Promise<boolean>;
}
