import type { Balance, PageRecord } from '@webfarer/protocol';
import type { CrawlStatistics } from '@webfarer/protocol/api';
import type { CatalogEntry } from '../../catalog/catalog.ts';

/** What results amount to, in memory that does not grow with them. How it is counted is known to another package. */
export interface Tallies {
  statistics(): { add(record: PageRecord): void; figures(): CrawlStatistics };
}

export interface SurveyPage<Figures> {
  id: string;
  /** When it was begun. */
  atMs: number;
  isReady: boolean;
  read: number;
  /** Results that cannot be read here. */
  absent: number;
  /** What the crawl had counted when it was begun. */
  balance: Balance;
  /** Undefined: not ready yet. */
  figures: Figures | undefined;
}

/** Figures that come from reading all results of a crawl once. */
export interface CrawlSurveys {
  /** Works on it for a moment, and answers how far it has come; `id` of an earlier answer, or '' for the crawl as it is now. */
  statistics(entry: CatalogEntry, id: string): Promise<SurveyPage<CrawlStatistics>>;
  /** Nothing of this crawl is kept here any longer. */
  forget(entry: CatalogEntry): void;
  close(): void;
}
