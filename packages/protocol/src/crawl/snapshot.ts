import type { CrawlId, HostKey } from '../base/brands.ts';
import type { DroppedReason, FailedReason, OutcomeReason, WaitReason } from '../base/reasons.ts';
import type { Balance, CrawlState, PageRecord } from './record.ts';
import type { Stall, StallCause } from './stall-causes.ts';

/** Why a whole crawl or worker has paused. All but `operator` end by themselves. */
export type PauseCause = Extract<
  StallCause,
  | 'no-network'
  | 'no-worker'
  | 'disk'
  | 'min-free'
  | 'object-storage'
  | 'saving'
  | 'store'
  | 'store-full'
  | 'store-replicas'
  | 'store-backlog'
  | 'operator'
  | 'quota'
>;

export interface Pause {
  cause: PauseCause;
  /** One sentence for a person, with figures. */
  text: string;
  /** Milliseconds until it looks again; absent when only the operator ends it. */
  retryInMs?: number;
}

/** What a crawl has of a host so far. */
export interface HostSums {
  /** Pages that are done. */
  pages: number;
  /** Of all its answers. */
  bytes: number;
  /** Rounds of trouble in a row; an answer ends them. */
  troubles: number;
}

/** One host that cannot be contacted yet, and why. Its sums are there where the store was asked. */
export interface HostWait extends Partial<HostSums> {
  host: HostKey;
  queued: number;
  /** 0 when due now and only waiting for a free worker. */
  dueInMs: number;
  why: WaitReason;
  dead: boolean;
  /** What went wrong, where it waits after trouble and this is known. */
  reason?: FailedReason;
  detail?: string;
}

/** Who fetches for a crawl. */
export interface Hands {
  workers: number;
  /** Hosts they can work on at the same time, and hosts they hold. */
  connections: number;
  held: number;
  /** Why workers have paused, one for each that has. */
  pauses: Pause[];
  /** How many of them cannot work on the crawl, and what the first of these says, with the code of its error; absent: none. */
  unable?: { workers: number; text: string; code: string };
}

/** What a worker does at this moment, as it tells its coordinator. */
export interface WorkerLook {
  /** Requests under way. */
  inFlight: number;
  /** Hosts it holds that pause, soonest first, a few. */
  waiting: (HostWait & { crawl: CrawlId })[];
  /** What it has saved of each crawl, on its own disk; and whether it may still save more. */
  written: { crawl: CrawlId; files: number; bytes: number; open: boolean }[];
  /** Crawls that it cannot work on, because of something on its machine; absent: none. */
  unable?: { crawl: CrawlId; code: string; message: string }[];
  /** Crawls whose pages block its event loop, and which it has not paused for that; absent: none. */
  blocking?: { crawl: CrawlId; message: string }[];
  pause?: Pause;
}

/** What ended a crawl before all it had found was fetched: a ceiling of its own, or a limit of its hosts or sites that refused URLs. */
export type LimitedBy = 'pages' | 'bytes' | 'duration' | 'perHost' | 'perSite';

/** Everything a live view shows of a crawl, at one moment. */
export interface CrawlSnapshot {
  crawl: CrawlId;
  name: string;
  state: CrawlState;
  pause?: Pause;
  /** Why it makes no progress; absent while it does, and when it is over. */
  stall?: Stall;
  /** Which limit it has reached. */
  limitedBy?: LimitedBy;
  /** Time spent running, over all sessions. */
  elapsedMs: number;
  balance: Balance;
  /** Done records by HTTP status: `{ "200": 36 }`. */
  byStatus: Record<string, number>;
  byReason: Partial<Record<OutcomeReason, number>>;
  dropped: Partial<Record<DroppedReason, number>>;
  bytes: number;
  items: number;
  /** Outcomes per second over the last 10 s. */
  pagesPerSecond: number;
  /** Estimate of the time left: at least this. Absent while nobody can tell, since pages bring new URLs. */
  leftMs?: number;
  /** The other end of the estimate: probably not more than this. Absent where `leftMs` is all that can be told. */
  leftToMs?: number;
  /** `leftMs` ends at a limit: with fewer pages than that the crawl ends sooner. */
  leftAtMost?: true;
  hostsQueued: number;
  inFlight: number;
  hands?: Hands;
  /** URLs in the hands of workers that are not linked: they are free when the leases end, or the workers are back. */
  abandoned?: number;
  /** They are free after this time at the latest. Present where other workers continue meanwhile: then it is at least so many. */
  abandonedForMs?: number;
  /** Soonest first, a few. */
  waiting: HostWait[];
  /** What the savers have written. */
  archive: { files: number; bytes: number };
  /** How long hosts took to answer, of the last requests. */
  latency?: { p50Ms: number; p95Ms: number };
  last?: PageRecord;
}
