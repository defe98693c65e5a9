import type { Balance, Edge, PageRecord, Url } from '@webfarer/protocol';
import type { CrawlStatistics, HostGraph } from '@webfarer/protocol/api';
import type { CatalogEntry } from '../../catalog/catalog.ts';

/** What results amount to, in memory that does not grow with them. How it is counted is known to another package. */
export interface Tallies {
  statistics(): { add(record: PageRecord): void; figures(): CrawlStatistics };
  hostGraph(): {
    addRecord(record: PageRecord): void;
    addLinks(from: Url, edges: readonly Edge[]): void;
    figures(): HostGraph;
  };
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
  /** The same for the hosts of a crawl and the links between them. */
  hostGraph(entry: CatalogEntry, id: string): Promise<SurveyPage<HostGraph>>;
  /** Nothing of this crawl is kept here any longer. */
  forget(entry: CatalogEntry): void;
  close(): void;
}
