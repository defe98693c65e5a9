import type { CrawlState, ErrorCode } from '@webfarer/protocol';
import type { CatalogEntry, CatalogQuery } from '../catalog/catalog.ts';
import type { Crawl } from '../crawl/crawl.ts';

/** A crawl as it is listed, whether it runs or not. */
export interface CrawlListing {
  entry: CatalogEntry;
  /** As it runs here, `failed` where it should and cannot, else as its entry says. */
  state: CrawlState | 'failed';
  /** Open here; undefined where it is not, though it may be at another coordinator of the store. */
  crawl: Crawl | undefined;
  failure: CrawlFailure | undefined;
}

/** Why a crawl that should be open is not. */
export interface CrawlFailure {
  code: ErrorCode;
  message: string;
  /** What to do. */
  next: string;
  atMs: number;
}

export interface CrawlList {
  /** In the order of their creation. May be fewer than the limit, even none, while `next` is given. */
  crawls: CrawlListing[];
  /** `after` of the next page; undefined on the last one. */
  next: string | undefined;
}

/** `states` empty: in any but `deleted`. */
export type CrawlQuery = CatalogQuery;

export function listingOf(
  entry: CatalogEntry,
  crawl: Crawl | undefined,
  failure: CrawlFailure | undefined,
): CrawlListing {
  const told = entry.wanted === 'deleted' ? 'stopped' : entry.wanted;
  return { entry, state: failure ? 'failed' : (crawl?.state ?? told), crawl, failure };
}
