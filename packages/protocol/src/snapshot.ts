import type { CrawlId, HostKey } from './brands.ts';
import type { DroppedReason, OutcomeReason, WaitReason } from './reasons.ts';
import type { Balance, CrawlState, PageRecord } from './record.ts';

/** Why a crawl or worker stands still although nobody asked it to. It goes on by itself. */
export type PauseCause = 'no-network' | 'no-worker' | 'disk' | 'store' | 'operator';

export interface Pause {
  cause: PauseCause;
  /** One sentence for a person, with figures. */
  text: string;
  /** Milliseconds until it looks again; absent when only the operator ends it. */
  retryInMs?: number;
}

/** One host that cannot be contacted yet, and why. */
export interface HostWait {
  host: HostKey;
  queued: number;
  /** 0 when due now and only waiting for a free worker. */
  dueInMs: number;
  why: WaitReason;
  dead: boolean;
}

/** Everything a live view shows of a crawl, at one moment. */
export interface CrawlSnapshot {
  crawl: CrawlId;
  name: string;
  state: CrawlState;
  pause?: Pause;
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
  /** Estimate; absent while there is nothing to base it on. */
  leftMs?: number;
  hostsQueued: number;
  inFlight: number;
  /** URLs in the hands of workers that are not linked: they are free when the leases end, or the workers are back. */
  abandoned?: number;
  /** Soonest first, a few. */
  waiting: HostWait[];
  archive: { files: number; bytes: number };
  latency?: { p50Ms: number; p95Ms: number };
  last?: PageRecord;
}

/** What happens in a crawl, as it happens. `record` events follow the commit, never precede it. */
export type CrawlEvent =
  | { type: 'record'; record: PageRecord }
  | {
      type: 'robots';
      origin: string;
      state: 'rules' | 'absent' | 'unreachable';
      /** Rules in the group that applies to us. */
      rules: number;
      crawlDelayMs?: number;
      sitemaps: string[];
      detail?: string;
    }
  | { type: 'host-waits'; host: HostKey; why: WaitReason; forMs: number; detail?: string }
  /** A process of the crawl was lost, and what is done about it, in a sentence. */
  | { type: 'worker-lost'; text: string }
  | { type: 'paused'; pause: Pause }
  | { type: 'resumed' }
  | { type: 'state'; state: CrawlState };
