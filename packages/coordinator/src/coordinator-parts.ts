import type { WorkerId } from '@webfarer/protocol';
import type { Durability } from '@webfarer/protocol/job';
import type { Catalog, CatalogEntry } from './catalog/catalog.ts';
import type { Crawl } from './crawl/crawl.ts';
import type { CrawlHost } from './crawl/crawl-host.ts';
import type { CrawlSpec, Resumed } from './crawl/open-crawl.ts';
import type { EventBus } from './events/event-bus.ts';
import type { HostRules } from './host-rules/host-rules.ts';
import type { CrawlRouter } from './link/crawl-router.ts';
import type { LinkServer } from './link/link-server.ts';
import type { WorkerPool } from './link/worker-pool.ts';
import type { WorkerRates } from './link/worker-rates.ts';
import type { ServedByMember } from './network/neighbours.ts';
import type { CrawlListing } from './own-crawls/crawl-listing.ts';
import type { CrawlsByName } from './own-crawls/crawls-by-name.ts';
import type { Policies } from './registry/policies.ts';
import type { Registry } from './registry/registry.ts';
import type { RegistryWatch } from './registry/watch-registry.ts';
import type { Consumers } from './results/consumers.ts';
import type { JoinedStore } from './store/join-store.ts';
import type { Teams } from './teams/teams.ts';

export interface CreateOptions extends CrawlSpec {
  /** Where the crawl is kept; `crawls/NAME` in the coordinator's folder when absent. */
  folder?: string;
  /** Open it without requesting anything until it is resumed. */
  paused?: boolean;
}

/** A crawl that was created or taken up. */
export interface CreatedCrawl {
  crawl: Crawl;
  /** Present when it was begun before, here or elsewhere. */
  resumed?: Resumed;
}

/**
 * Hosts any number of crawls and hands them out to workers: in its own process, or on other machines once it listens.
 * Knows nothing of terminals, and keeps nothing that a crash could lose.
 */
export interface Coordinator extends CrawlsByName {
  readonly id: string;
  readonly events: EventBus;
  /** The store its crawls are kept in, in words. */
  readonly store: { promise: string; warnings: string[] } | undefined;
  /** What operators have written, for all coordinators of the store. */
  readonly registry: Registry;
  readonly registryWatch: RegistryWatch;
  readonly policies: Policies;
  readonly teams: Teams;
  /** What operators and site owners decided about hosts, for all crawls. */
  readonly rules: HostRules;
  /**
   * Takes up every crawl of its catalog that should be open, and follows the catalog from now on: what is created,
   * changed or stopped at another coordinator of the store. Resolves when all that can be opened are. One that cannot is
   * reported as an event, and listed as failed. Without this call it has only the crawls that are created here.
   */
  start(): Promise<void>;
  /** Begins a crawl, or takes up the one of the same name. */
  create(options: CreateOptions, host?: CrawlHost): Promise<CreatedCrawl>;
  /** Those that are open here, and the latest that have ended. */
  crawls(): Crawl[];
  crawl(name: string): Crawl | undefined;
  /**
   * Deletes a crawl and all that is kept of it, here and in the store, whoever works on it. Its name is free at once. A
   * folder that was chosen for the crawl stays. False: there is no such crawl.
   */
  delete(name: string): Promise<boolean>;
  /** Joins a worker of this process. */
  connect: WorkerPool['connect'];
  /** A worker of this process has paused by itself, or resumed. */
  workerPaused: WorkerPool['paused'];
  /** The process of a worker is dead: nobody will come back with its leases. */
  workerGone(worker: WorkerId): Promise<void>;
  /** A fault of ours in a worker of this process: its crawls cannot continue. */
  fail(error: unknown): void;
  /** Rejects with a fault that no crawl of this process can continue after. */
  readonly failure: Promise<never>;
  /** Leaves the crawls that still run and closes everything. The next start takes them up. */
  stop(how?: { now?: boolean }): Promise<void>;
}

/** What a server that listens needs of its coordinator. */
export interface CoordinatorParts extends Coordinator {
  readonly router: CrawlRouter;
  readonly pool: WorkerPool;
  readonly rates: WorkerRates;
  readonly server: LinkServer;
  readonly joined: JoinedStore | undefined;
  readonly consumers: Consumers;
  /** Which crawls there are, here and elsewhere in its store. */
  catalog(): Catalog;
  /** Crawls that were deleted, and of which something is left that could not be. */
  undeleted(): CatalogEntry[];
  /** What its store promises; `strict` without one. */
  readonly durability: Durability;
  /** A fault of ours that concerns no single crawl: it is published, and nothing ends. */
  faulty(error: unknown): void;
  /** A crawl as it is here and now: open, failed, or neither. */
  listing(entry: CatalogEntry): CrawlListing;
  /** Where it keeps a crawl of this name, or would. */
  folderOf(name: string): string;
  /** Works on a crawl of the catalog here, from its beginning if nobody has begun it yet. */
  takeUp(entry: CatalogEntry): Promise<void>;
  /** What is done for the crawls that it takes up. */
  host: CrawlHost;
  /** Its crawls, as those who share out workers count them. */
  running(): ServedByMember[];
}
