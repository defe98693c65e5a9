import type { FailedReason, HostKey, WaitReason } from '@webfarer/protocol';
import type { CrawlRow } from './crawls.ts';
import type { SiteRow } from './sites.ts';

/** A host as all crawls see it. Times are store time in ms. */
export interface HostRow {
  id: number;
  key: HostKey;
  siteId: number;
  /** Only grows: no request may start earlier. */
  notBefore: number;
  /** When the last request to it ended; every crawl's own gap counts from here. */
  lastEnd: number;
  /** Why `notBefore` is what it is. */
  why: WaitReason;
  pairs: PairRow[];
  isNew: boolean;
  /** The clock fields changed since they were last written. */
  dirty: boolean;
}

/** A host in one crawl: its queue's length, its budget, its health. */
export interface PairRow {
  id: number;
  crawl: CrawlRow;
  host: HostRow;
  site: SiteRow;
  known: number;
  queued: number;
  leased: number;
  donePages: number;
  leasedPages: number;
  bytes: number;
  troubles: number;
  /** What the last trouble was, once there were too many; null while the host may be contacted. */
  dead: FailedReason | null;
  /** When its queue was last filled from empty: among hosts never contacted the first come goes first. */
  ready: number;
  /** Fence of its last grant: the crawl with the lowest has the next turn on the host. */
  turn: number;
  stored: StoredPair | undefined;
}

/** A pair as it was last written. */
export interface StoredPair {
  id: number;
  crawl: number;
  host: number;
  site: number;
  known: number;
  queued: number;
  leased: number;
  done_pages: number;
  leased_pages: number;
  bytes: number;
  troubles: number;
  dead: FailedReason | null;
  ready: number;
  turn: number;
  /** Entries up to this id are in `known` and `queued`. */
  upto: number;
  due: number | null;
  doomed: number;
  blocked: number;
  busy: number;
}
