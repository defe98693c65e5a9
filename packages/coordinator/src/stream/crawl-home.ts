import type { CrawlId, CrawlState, HostWait } from '@webfarer/protocol';
import type { ResultsSource } from '../results/results.ts';

/** What can be read of one crawl, whether it runs here, elsewhere or nowhere. */
export interface CrawlHome {
  readonly id: CrawlId;
  /** Tells it from an earlier crawl of the same id. */
  readonly nonce: string;
  readonly results: ResultsSource;
  state(): Promise<CrawlState>;
  /** The fields of its snapshot; those of a crawl that does not run here are fewer. */
  status(): Promise<Record<string, unknown>>;
  /** The hosts that are due next. */
  hosts(limit: number): Promise<HostWait[]>;
  /** Rejects with `not-found` once the crawl was deleted. */
  check(): Promise<void>;
  /** Given back by everyone who opened it. */
  close(): Promise<void>;
}

export interface CrawlHomes {
  /** By id or name. Rejects with `not-found`. */
  open(crawl: string): Promise<CrawlHome>;
  /** The folder with what it wrote here. Rejects with `not-found`. */
  folderOf(crawl: string): Promise<string>;
}
