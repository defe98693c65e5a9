import type { CrawlTotals, RecordFilter, Results } from '@webfarer/coordinator';
import type { KeptResults } from '@webfarer/coordinator/redis';
import type { Balance, CrawlId, CrawlState, HostWait, Job, PageChange, Stall, Url } from '@webfarer/protocol';
import type { CrawlRun, Explanation } from './crawl-run.ts';

/** What the commands need of a crawl on this machine. `local/` implements it; tests have their own. */
export interface LocalCrawls {
  /** Starts or goes on with the crawl of a folder. Throws WebfarerError where it may not. */
  openLocal(options: OpenOptions): Promise<OpenedCrawl>;
  /** Looks into a folder without changing it, also while a crawl runs there. */
  readFolder(folder: string, options?: LookOptions): Promise<FolderReader>;
  /** Puts settled URLs of a stopped crawl back into its queue and answers how many. */
  retryFolder(folder: string, filter: RecordFilter, options?: LookOptions): Promise<number>;
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
}

export interface OpenedCrawl {
  run: CrawlRun;
  /** The seeds as they are crawled, with https or http decided. */
  seeds?: readonly Url[];
  /** Present when the folder held a crawl already. */
  resumed?: Resumed;
  /** The store that it is kept in, in words; absent when that is the folder. */
  store?: { promise: string; warnings: string[] };
}

/** What became of a page since the previous crawl. `unclear`: trouble or an unfinished crawl hides it. */
export interface Change {
  url: Url;
  change: PageChange | 'gone' | 'unclear';
  /** What it answered now. */
  status?: number;
  title?: string;
  /** In words, for what is not there. */
  why?: string;
}

export interface Resumed {
  stoppedAgoMs: number;
  state: CrawlState;
  balance: Balance;
  /** Settings that differ from the last time and are applied, in words. */
  changed: string[];
  /** Others may be working on it. `overruled`: settings of the job here that are not in force. */
  shared?: { overruled: string[] };
}

export interface FolderReader {
  readonly crawl: CrawlId;
  readonly job: Job;
  /** The seeds as they are crawled, with https or http decided. */
  readonly seeds: readonly Url[];
  /** This folder among those that share the crawl; absent where it is the only one. */
  readonly member?: string;
  /** As written, for going on with the same crawl. */
  readonly input: unknown;
  readonly jobPath?: string;
  /** Only the user's own program can continue it: see `needsOwnCode`. */
  readonly ownCode: boolean;
  /** A process holds the folder now. */
  readonly busy: boolean;
  /** Why the process that holds it makes no progress, as that last wrote down. */
  readonly stall?: Stall;
  /** When the crawl was last active. */
  readonly stoppedAgoMs: number;
  /** Time spent running, over all sessions. */
  readonly elapsedMs: number;
  state(): Promise<CrawlState>;
  balance(): Promise<Balance>;
  totals(): Promise<CrawlTotals>;
  waiting(limit: number): Promise<HostWait[]>;
  explain(url: string): Promise<Explanation>;
  readonly results: Results;
  /** What of the results left a store for files, and which of these are not at hand; undefined without a store. */
  kept(): Promise<KeptResults | undefined>;
  /** The folder of the crawl before, in a recrawl. */
  readonly previous?: string;
  /** What changed since then, or since the crawl of another folder; nothing where there is none. */
  changes(than?: string): AsyncIterable<Change>;
  close(): Promise<void>;
}
