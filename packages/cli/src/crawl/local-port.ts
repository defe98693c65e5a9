import type { FolderReader, ProcessLog, RecordFilter, Resumed } from '@webfarer/coordinator';
import type { Job, Url } from '@webfarer/protocol';
import type { Metrics } from '@webfarer/protocol/metrics';
import type { Tracing } from '@webfarer/worker';
import type { CrawlRun } from './crawl-run.ts';

export type { Change, FolderReader, ItemChange, Resumed } from '@webfarer/coordinator';

/** What the commands need of a crawl on this machine. `local/` implements it; tests have their own. */
export interface LocalCrawls {
  /** Starts or resumes the crawl of a folder. Throws a WebfarerError if that is not possible. */
  openLocal(options: OpenOptions): Promise<OpenedCrawl>;
  /** Looks into a folder without changing it, also while a crawl runs there. */
  readFolder(folder: string, options?: LookOptions): Promise<FolderReader>;
  /** Puts settled URLs of a stopped crawl back into its queue and answers how many. */
  retryFolder(folder: string, filter: RecordFilter, options?: LookOptions): Promise<number>;
  /** Makes these URLs the whole queue of a stopped crawl, also those that were fetched before. Answers how many are queued. */
  queueFolder(folder: string, urls: readonly Url[]): Promise<number>;
}

export interface LookOptions {
  /** More folders with results that left a store. */
  segments?: readonly string[];
}

export interface OpenOptions {
  job: Job;
  /** As the person wrote it, kept in crawl.json. */
  input: unknown;
  /** Modules and seed files are looked for relative to it. */
  jobPath?: string;
  folder: string;
  /** Throw away what the folder holds and start over. */
  fresh?: boolean;
  /** Accept a scope that differs from the one the folder was begun with. */
  rescope?: boolean;
  /** For a new folder: the crawl whose pages are only asked for if they changed. */
  previous?: string;
  userAgent: string;
  /** Open it without requesting anything until it is resumed. */
  paused?: boolean;
  /** File of the host ledger, where crawls of this machine agree on who contacts a host. Absent: each for itself. */
  ledger?: string;
  /** Where it is counted; absent: nobody reads it. */
  metrics?: Metrics;
  /** Follows the life of its URLs; absent: nobody does. */
  tracing?: Tracing;
  /** Where its events are written beside the view; absent: nowhere. */
  log?: ProcessLog;
  /** A program reads the folder, not a person: no report and no tables are written at the end. */
  withoutOutputs?: boolean;
}

export interface OpenedCrawl {
  run: CrawlRun;
  /** The seeds as they are crawled, with https or http decided. */
  seeds?: readonly Url[];
  /** Present when the folder held a crawl already. */
  resumed?: Resumed;
  /** The store that it is kept in, in words; absent when that is the folder. */
  store?: { promise: string; warnings: string[] };
  /** What it cannot do here, a sentence each. */
  warnings?: string[];
}
