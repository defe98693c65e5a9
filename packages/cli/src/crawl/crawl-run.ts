import type { Explanation, ItemChange, PublishedEvent, UnfetchedSeed } from '@webfarer/coordinator';
import type {
  Balance,
  CrawlEvent,
  CrawlSnapshot,
  CrawlState,
  EventCursor,
  EventsMissed,
  LimitedBy,
  PageRecord,
  Pause,
} from '@webfarer/protocol';

export type { Explanation, ItemChange, UnfetchedSeed } from '@webfarer/coordinator';

/** A crawl under way. Awaiting it gives the summary; iterating it gives its events. */
export interface CrawlRun<Item = unknown>
  extends PromiseLike<Summary<Item>>,
    AsyncIterable<CrawlEvent | EventsMissed> {
  /** The same events, each with its time, its cursor and its line of JSON; after `cursor`, or from now on. */
  follow(cursor?: EventCursor): AsyncIterable<PublishedEvent<CrawlEvent | EventsMissed>>;
  /** Snapshots at a steady pace (`'5s'` or milliseconds) until the crawl ends. */
  progress(every: string | number): AsyncIterable<Progress>;
  /** Where the crawl stands now. */
  snapshot(): Promise<CrawlSnapshot>;
  /** Requests nothing more until it is resumed. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Finishes what is in flight, then stops; `now: true` drops it at once. Both can be resumed. */
  stop(options?: { now?: boolean }): Promise<void>;
  /** What became of a URL, and which rule decided. */
  explain(url: string): Promise<Explanation>;
}

/** A snapshot for people to read. */
export interface Progress extends CrawlSnapshot {
  /** The waiting line in words, absent when nothing waits. */
  waitingFor?: string;
}

/** What became of a crawl. Items and records are read from its folder when they are iterated. */
export interface Summary<Item = unknown> {
  state: CrawlState;
  folder: string;
  snapshot: CrawlSnapshot;
  balance: Balance;
  /** Why it ended before the queue was empty. */
  limitedBy?: LimitedBy;
  pause?: Pause;
  /** Seeds that were refused or failed, with the reason. When no page at all was read, awaiting the run throws. */
  unfetchedSeeds: UnfetchedSeed[];
  /** All items of the crawl; in a recrawl with those of pages that did not change. */
  items: AsyncIterable<Item>;
  /** In a recrawl: the same, each compared with the crawl before, then those that are gone. Empty in a first crawl. */
  itemChanges: AsyncIterable<ItemChange<Item>>;
  records: AsyncIterable<PageRecord>;
}
