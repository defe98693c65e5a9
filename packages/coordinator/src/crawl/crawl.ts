import type {
  Balance,
  Clock,
  CrawlEvent,
  CrawlId,
  CrawlSnapshot,
  CrawlState,
  EventCursor,
  EventsMissed,
  Job,
  PageRecord,
  Pause,
  Url,
} from '@webfarer/protocol';
import type { CrawlHost } from '@webfarer/protocol/api';
import type { Follower } from '../events/follower.ts';
import type { QueueFilter, UrlStep, UrlStepAnswer } from '../frontier/frontier.ts';
import type { RecordFilter } from '../results/results.ts';
import type { ItemChange } from './reading/item-changes.ts';
import type { LimitedBy } from './crawl-control.ts';
import type { Explanation } from './reading/explain.ts';
import type { UnfetchedSeed } from './job/unfetched-seeds.ts';

/** One crawl of a coordinator. Knows nothing of terminals. */
export interface Crawl {
  readonly id: CrawlId;
  readonly name: string;
  /** Its manifest, its database or its part of the results, and its outputs. */
  readonly folder: string;
  /** As in force now. */
  readonly job: Job;
  /** With https or http decided. */
  readonly seeds: readonly Url[];
  readonly userAgent: string;
  /** URLs that a worker takes with one lease. */
  readonly urlsPerHost: number;
  readonly state: CrawlState;
  snapshot(): Promise<CrawlSnapshot>;
  /** For callers that read every crawl: of one that rests, the last snapshot with its times as of now. */
  calmSnapshot(): Promise<CrawlSnapshot>;
  /** Nothing happens to it, and nothing of it is due soon. */
  isResting(): boolean;
  /** Its events until it ends: after that cursor, or from now on. */
  follow(after?: EventCursor): Follower<CrawlEvent | EventsMissed>;
  /** Grants no more leases, here and at every coordinator of its store, until it is resumed; also after a restart. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /**
   * Finishes what is in flight, then stops, here and at every coordinator of its store; `now` does not wait for workers
   * elsewhere. Resolves when all is closed here. Nothing but `Coordinator.resume` or `create` takes it up again.
   */
  stop(how?: { now?: boolean }): Promise<void>;
  /** The same for this process alone: other coordinators continue, and so does the next start of this one. */
  leave(how?: { now?: boolean }): Promise<void>;
  /** One step of putting settled URLs back into the queue with fresh tries. */
  retry(step: UrlStep<RecordFilter>): Promise<UrlStepAnswer>;
  /** One step of taking URLs from the queue: refused(dropped). */
  drop(step: UrlStep<QueueFilter>): Promise<UrlStepAnswer>;
  /** One step of offering the links of the pages so far again, for those that the scope now has. */
  relink(after: string): Promise<UrlStepAnswer>;
  explain(url: string): Promise<Explanation>;
  /** Hosts that have something queued, soonest first, and what they wait for. */
  hosts(limit: number): Promise<CrawlHost[]>;
  /** Limits, pace or scope from now on. Workers are told before they are given another lease. */
  edit(change: CrawlEdit): Promise<void>;
  /** Resolves when the crawl is over or was stopped, and everything is written and closed. Rejects after a fault. */
  readonly ended: Promise<CrawlSummary>;
}

export interface CrawlEdit {
  /** The whole job as it shall be, as a person writes it. */
  input: unknown;
  /** Accept another scope: queued URLs outside it are refused. */
  rescope?: boolean;
  /** Who makes it, for the history. */
  by?: string;
  /** Only if the crawl still has this version in the catalog; else it rejects with `conflict`. */
  version?: number;
}

export interface CrawlSummary {
  state: CrawlState;
  folder: string;
  snapshot: CrawlSnapshot;
  balance: Balance;
  /** Why it ended before the queue was empty. */
  limitedBy?: LimitedBy;
  pause?: Pause;
  /** Seeds that were refused or failed, with the reason. */
  unfetchedSeeds: UnfetchedSeed[];
  items: AsyncIterable<unknown>;
  /** Its items compared with the crawl before; empty where there was none. */
  itemChanges: AsyncIterable<ItemChange>;
  records: AsyncIterable<PageRecord>;
}

/** A crawl that is over, and what became of it. */
export interface CrawlEnd extends Pick<Crawl, 'id' | 'name' | 'job'> {
  summary: CrawlSummary;
}

/** What became of the crawl before its outputs are written. */
export interface CrawlEnding {
  crawl: CrawlId;
  folder: string;
  job: Job;
  snapshot: CrawlSnapshot;
  /** It was stopped on the way: a caller should not take long. */
  stopped: boolean;
  clock: Clock;
}
