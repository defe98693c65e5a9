import type { CrawlId, HostKey } from '@webfarer/protocol';
import type { FollowedHost, HostActivity } from './host-samples.ts';

/**
 * The pages and troubles of a crawl's busiest hosts over time, in slots as the history of counts has them. All are sums
 * of the store, so that it does not matter which coordinator takes a sample, and one that is left out loses no page.
 * Implementations: the database of a crawl and Redis; `host-history.suite.ts` is what both pass.
 */
export interface HostHistory {
  /** Which hosts are followed; undefined: there is no such crawl, or not any more. */
  look(crawl: CrawlId): Promise<HostRoster | undefined>;
  /** Only if nobody has written since the look, in the same slot; else nothing happens. */
  note(crawl: CrawlId, sample: HostSample, how?: HostSampleHow): Promise<void>;
  /** Nothing names these hosts any more. */
  forget(crawl: CrawlId, isForgotten: (host: HostKey) => boolean): Promise<void>;
  activity(crawl: CrawlId): Promise<HostActivity>;
}

export interface HostRoster {
  /** Changes whenever somebody writes. */
  version: string;
  /** Of the store's time. */
  slot: number;
  /** The slot has its sample. */
  isSampled: boolean;
  hosts: FollowedHost[];
}

export interface HostSample {
  seen: Pick<HostRoster, 'version' | 'slot'>;
  hosts: readonly FollowedHost[];
  /** `placesText` of these hosts. */
  places: string;
}

export interface HostSampleHow {
  /** In place of the sample that the slot has. */
  last?: boolean;
  /** The crawl is over: what is left of all its samples are steps of one length, so that it costs little for ever. */
  over?: boolean;
}

/** Tries of a change that samples came before. */
export const forgetTries = 5;
