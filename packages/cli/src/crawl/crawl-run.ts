import type { Explanation, PublishedEvent, UnfetchedSeed } from '@webfarer/coordinator';
import type {
  Balance,
  CrawlEvent,
  CrawlSnapshot,
  CrawlState,
  EventCursor,
  EventsMissed,
  PageRecord,
  Pause,
} from '@webfarer/protocol';

export type { Explanation, UnfetchedSeed } from '@webfarer/coordinator';

/** A crawl under way. Awaiting it gives the summary; iterating it gives its events. */
export interface CrawlRun<Item = unknown>
  extends PromiseLike<Summary<Item>>,
    AsyncIterable<CrawlEvent | EventsMissed> {
  /** The same events, each with its time, its cursor and its line of JSON; after `cursor`, or from now on. */
  follow(cursor?: EventCursor): AsyncIterable<PublishedEvent<CrawlEvent | EventsMissed>>;
  /** Snapshots at a steady pace (`'5s'` or milliseconds) until the crawl ends. */
  progress(every: string | number): AsyncIterable<Progress>;
  snapshot(): Promise<CrawlSnapshot>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Finishes what is in flight, then stops; `now: true` drops it at once. Both can be resumed. */
  stop(options?: { now?: boolean }): Promise<void>;
  explain(url: string): Promise<Explanation>;
}

export interface Progress extends CrawlSnapshot {
  /** The waiting line in words, absent when nothing waits. */
  waitingFor?: string;
}

export interface Summary<Item = unknown> {
  state: CrawlState;
  folder: string;
  snapshot: CrawlSnapshot;
  balance: Balance;
  /** Why it ended before the queue was empty. */
  limitedBy?: 'pages' | 'bytes' | 'duration';
  pause?: Pause;
  /** Seeds that were refused or failed, with the reason. When no page at all was read, awaiting the run throws. */
  unfetchedSeeds: UnfetchedSeed[];
  items: AsyncIterable<Item>;
  records: AsyncIterable<PageRecord>;
}
