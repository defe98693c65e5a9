import type { DatedClock, Job, Url } from '@webfarer/protocol';
import type { CrawlEntry } from '../catalog/crawl-entry.ts';
import type { EventBus } from '../events/event-bus.ts';
import type { FolderLock } from '../folder/folder-lock.ts';
import type { OrderWatch } from '../folder/order-watch.ts';
import type { Manifest, ManifestFile } from '../folder/manifest.ts';
import type { FolderFrontier } from '../folder/open-frontier.ts';
import type { PreviousFolder } from '../folder/previous-folder.ts';
import type { GivenStore } from '../folder/store-password.ts';
import type { CalmReads } from '../frontier/calm-reads.ts';
import type { HostRules } from '../host-rules/host-rules.ts';
import type { CrawlRouter } from '../link/crawl-router.ts';
import type { WorkerPool } from '../link/worker-pool.ts';
import type { Upkeep } from '../maintenance/upkeep.ts';
import type { JoinedStore } from '../store/join-store.ts';
import type { CrawlIntake } from './crawl-host.ts';
import type { CrawlEnd, CrawlEnding } from './crawl.ts';
import type { Seed } from './job/seeds.ts';

/** What a crawl runs on: its folder and store, and the workers and the link of its coordinator. */
export interface CrawlParts {
  manifest: Manifest;
  /** In its folder. */
  file: ManifestFile;
  job: Job;
  clock: DatedClock;
  events: EventBus;
  frontier: FolderFrontier;
  reads: CalmReads;
  /** The store, where others may work on the same crawl. */
  shared: JoinedStore | undefined;
  lock: FolderLock;
  /** The crawl that this one is a recrawl of. */
  previous: PreviousFolder | undefined;
  offers: { url: Url; kind: Seed['kind'] }[];
  router: CrawlRouter;
  pool: WorkerPool;
  upkeep: Upkeep;
  /** Notices orders that are left in folders of crawls. */
  orders: OrderWatch;
  /** What holds for hosts in all crawls. */
  rules: HostRules;
  /** Where bodies go that workers send here. */
  intake: CrawlIntake;
  /** Workers come from other machines: a crawl without any has paused, and so has one whose disk is nearly full. */
  network: { othersServe: () => boolean; expectsWorker: boolean } | undefined;
  /** Frees what an earlier session in this folder left behind. */
  releaseOwn: () => Promise<void>;
  /** Whether another coordinator of the store takes part. */
  othersTakePart: () => Promise<boolean>;
  /** Hands its workers over to other coordinators, where this was the last crawl here. */
  retire: (over: boolean, signal: AbortSignal) => Promise<void>;
  /** Its entry in the catalog. */
  entry: CrawlEntry;
  /** `asked`: somebody creates or resumes it now. Else what its entry in the catalog says. */
  wanted: 'asked' | 'running' | 'paused';
  /** The job that an input describes, with secrets that were given to this process. */
  resolve: (input: unknown) => Job;
  /** Writes what a person opens after a crawl; undefined where a stop left no time for it. */
  conclude: (ending: CrawlEnding) => Promise<Manifest['outputs'] | undefined>;
  given: GivenStore | undefined;
  /**
   * It begins to end: what an operator wants from now on is no part of this run. Where it is over, the answer tells those who
   * must hear of it, then the catalog: after a crash in between it tells both again.
   */
  ending: () => Promise<(end: CrawlEnd) => Promise<void>>;
  closed: () => Promise<void>;
}
