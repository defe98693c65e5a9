import type { Branded, CrawlId, HostKey, WorkerId } from '../base/brands.ts';
import type { ErrorCode } from '../base/errors.ts';
import type { Trust } from '../base/trust.ts';
import type { WaitReason } from '../base/reasons.ts';
import type { CrawlState, PageRecord } from './record.ts';
import type { Pause } from './snapshot.ts';
import type { Stall, StallCause } from './stall-causes.ts';

/** What happens in one crawl. `record` events follow the commit, never precede it. */
export type CrawlEvent =
  | { type: 'record'; crawl: CrawlId; record: PageRecord }
  | {
      type: 'robots';
      crawl: CrawlId;
      origin: string;
      state: 'rules' | 'absent' | 'unreachable';
      rules: number;
      crawlDelayMs?: number;
      sitemaps: string[];
      detail?: string;
    }
  | { type: 'host-waits'; crawl: CrawlId; host: HostKey; why: WaitReason; forMs: number; detail?: string }
  | { type: 'cookies-left-out'; crawl: CrawlId; host: HostKey; count: number }
  | { type: 'worker-lost'; crawl: CrawlId; text: string }
  | { type: 'worker-blocked'; crawl: CrawlId; worker: WorkerId; text: string }
  | { type: 'crawl-stalled'; crawl: CrawlId; stall: Stall; times: number }
  | { type: 'crawl-moving'; crawl: CrawlId }
  | { type: 'crawl-paused'; crawl: CrawlId; pause: Pause; times: number }
  | { type: 'crawl-resumed'; crawl: CrawlId }
  | { type: 'crawl-state'; crawl: CrawlId; name: string; state: CrawlState }
  | {
      type: 'crawl-failed';
      crawl: CrawlId;
      name: string;
      code: ErrorCode;
      message: string;
      next: string;
    };

/** What happens to a coordinator and the workers connected to it. */
export type CoordinatorEvent =
  | { type: 'coordinator-started'; id: string; url: string; version: string }
  | { type: 'coordinator-stopped'; id: string }
  | { type: 'coordinators-changed'; ids: string[] }
  | { type: 'certificate-changed'; file: string }
  | { type: 'certificate-refused'; message: string }
  | { type: 'certificate-expires'; file: string; atMs: number }
  | { type: 'token-changed'; file: string }
  | { type: 'token-refused'; message: string }
  | { type: 'store-trouble'; cause: StallCause; text: string; times: number }
  | { type: 'store-answers' }
  | { type: 'request-failed'; message: string }
  | { type: 'schedule-run'; schedule: string; name: string; dueMs: number }
  | { type: 'schedule-failed'; schedule: string; message: string; next: string }
  | { type: 'schedule-skipped'; schedule: string; why: string; count: number; dueMs: number }
  | { type: 'clock-jumped'; byMs: number }
  | { type: 'clock-differs'; byMs: number }
  | { type: 'worker-joined'; worker: WorkerId; trust: Trust; address: string }
  | { type: 'worker-left'; worker: WorkerId; reason: string }
  | { type: 'worker-refused'; address: string; reason: string }
  | { type: 'worker-unable'; worker: WorkerId; crawl: CrawlId; name: string; code: string; message: string };

/** What happens in the process of a worker. */
export type WorkerEvent =
  | { type: 'worker-started'; worker: WorkerId; version: string }
  | { type: 'worker-stopped'; worker: WorkerId; why: 'asked' | 'drain' | 'over'; pages: number }
  | { type: 'link-up'; url: string; coordinator: string }
  | { type: 'link-down'; reason: string; outbox: number }
  | { type: 'failed'; code: ErrorCode; message: string };

/** Sent to one follower that cannot be given every event; it continues with the oldest event that is still kept. */
export interface EventsMissed {
  type: 'events-missed';
  why: 'behind' | 'restarted';
  /** Events of any kind between its cursor and the oldest one kept; 0 after a restart, when the number is unknown. */
  missed: number;
}

export type WebfarerEvent = CrawlEvent | CoordinatorEvent | WorkerEvent;
export type EventType = WebfarerEvent['type'];
export type EventOf<Type extends EventType> = Extract<WebfarerEvent, { type: Type }>;

/** Marks an event on one bus; opaque, and worthless to any other bus. */
export type EventCursor = Branded<string, 'EventCursor'>;
