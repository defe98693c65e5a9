import { type Clock, type CrawlId, WebfarerError, type WorkerId } from '@webfarer/protocol';
import type { Catalog } from './catalog/catalog.ts';
import type { EventBus } from './events/event-bus.ts';
import type { BodyIntake } from './link/bodies.ts';
import { createCrawlRouter, type CrawlRouter, type CrawlRouterOptions } from './link/crawl-router.ts';
import { createLeaseRoster } from './link/lease-roster.ts';
import { shareLeases } from './link/lease-sharing.ts';
import { linkLimits } from './link/link-limits.ts';
import { createLinkServer, type LinkServer } from './link/link-server.ts';
import { shareCookies } from './link/shared-cookies.ts';
import { createWorkerPool, type WorkerPool } from './link/worker-pool.ts';
import { wholeWorker } from './link/worker-id.ts';
import { createWorkerRates, type WorkerRates } from './link/worker-rates.ts';
import { noRules } from './link/worker-rules.ts';
import { alone, type Listening } from './listening.ts';
import { listedTokens } from './tokens/tokens.ts';

export interface OpenPoolOptions extends CrawlRouterOptions {
  /** Of the coordinator. */
  id: string;
  /** Of the software. */
  version: string;
  clock: Clock;
  events: EventBus;
  listening: Listening | undefined;
  catalog: () => Catalog;
  /** Those of these nonces whose crawls were deleted. */
  deletedAmong: (nonces: readonly string[]) => Promise<string[]>;
}

/** The workers of a coordinator, and all that stands between them and its crawls. */
export interface OpenPool {
  readonly router: CrawlRouter;
  readonly pool: WorkerPool;
  readonly server: LinkServer;
  readonly rates: WorkerRates;
  /** A crawl was deleted, and is not served here any more: its workers erase what they keep of it. */
  crawlDeleted(crawl: { id: CrawlId; nonce: string }): void;
  /** The process of a worker is dead: nobody will come back with its leases. */
  workerGone(worker: WorkerId): Promise<void>;
}

export function openPool(options: OpenPoolOptions): OpenPool {
  const { id, version, clock, events, listening, deletedAmong } = options;
  const router = createCrawlRouter(options);
  const link = { clock, hostsQueued: () => router.hostsQueued(), ...(listening?.link ?? alone) };
  const rules = listening?.rules ?? noRules;
  const share = shareLeases(link);
  const cookies = shareCookies();
  const rates = createWorkerRates(clock, linkLimits.workers);
  const roster = createLeaseRoster({
    link: router.link,
    clock,
    mostAway: linkLimits.workers,
    reported: rates.count,
  });
  const server = createLinkServer({
    ...link,
    link: router.link,
    id,
    version,
    own: { roster, share, cookies, isInside },
    heard: () => undefined,
    tokens: listening?.tokens ?? listedTokens({ own: [], volunteer: [] }),
    crawls: router,
    bodies: intakeOf,
    releaseLeases: (worker) => router.releaseLeases(worker),
    grantedTo: (worker) => router.grantedTo(worker),
    deletedAmong,
    events,
    rules,
    resources: listening?.resources,
  });
  const pool = createWorkerPool({
    router,
    roster,
    share,
    cookies,
    server,
    deletedAmong,
    version,
    rules,
    events,
    clock,
  });
  /** A worker of several processes leases under a name for each. */
  function isInside(worker: WorkerId): boolean {
    return pool.isInside(worker) || pool.isInside(wholeWorker(worker));
  }

  events.listen(['worker-joined', 'worker-left'], () => pool.changed());

  /** Bodies of a crawl that other coordinators serve are for them. What was leased of one that is gone is not stored. */
  async function intakeOf(crawl: CrawlId): Promise<BodyIntake | 'unwanted'> {
    const intake = router.bodies(crawl);
    if (intake !== 'elsewhere') return intake;
    const entry = await options.catalog().get(crawl);
    if (!entry || entry.wanted === 'finished') return 'unwanted';
    throw new WebfarerError('store-silent', `the crawl ${crawl} is served by other coordinators`);
  }

  return {
    router,
    pool,
    server,
    rates,
    crawlDeleted({ id: crawl, nonce }) {
      router.forget(nonce);
      // Another crawl may have its id by now.
      if (!router.crawl(crawl)) cookies.forget(crawl);
      pool.announce(crawl);
      pool.deleted([nonce]);
    },
    async workerGone(worker) {
      await router.releaseLeases(worker);
      roster.forget(worker);
    },
  };
}
