import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { ComparedPage, ComparisonSums } from '../../crawl/comparing/comparison-table.ts';
import type { ComparedKind } from '../../crawl/comparing/judge-pages.ts';

export interface ComparisonSearch {
  /**
   * Of an earlier answer; '' for the crawls as they are now. A list is of this comparison, or refused; the sums alone are of
   * one that is known here.
   */
  id: string;
  /** Undefined: the sums alone. */
  change: ComparedKind | undefined;
  /** `next` of the page before, which names the comparison as well; '' from the start. */
  after: string;
  limit: number;
}

export interface ComparisonPage {
  /** May change until it is ready. What is answered under one id then is the same everywhere. */
  id: string;
  /** When it was begun: what the crawls found later is not in it. */
  atMs: number;
  isReady: boolean;
  now: ComparedSide;
  before: ComparedSide;
  /** Undefined: not ready yet. */
  sums: ComparisonSums | undefined;
  pages: ComparedPage[];
  next: string | undefined;
}

export interface ComparedSide {
  /** Outcomes that were read so far, of so many known URLs. */
  read: number;
  known: number;
  /** Results that cannot be read here. */
  absent: number;
}

/** The pages of two crawls, compared. */
export interface CrawlComparisons {
  /** Works on it for a moment, and answers how far it has come. */
  compare(entry: CatalogEntry, other: CatalogEntry, search: ComparisonSearch): Promise<ComparisonPage>;
  /** Nothing of this crawl is kept here any longer. */
  forget(entry: CatalogEntry): void;
  close(): void;
}
