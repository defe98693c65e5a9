import type { Clock } from '@webfarer/protocol';
import type { EventBus } from './events/event-bus.ts';
import type { CrawlRouter } from './link/crawl-router.ts';
import { createLeaseRoster } from './link/lease-roster.ts';
import { shareLeases } from './link/lease-sharing.ts';
import { linkLimits } from './link/link-limits.ts';
import { createLinkServer, type LinkServer } from './link/link-server.ts';
import { shareCookies } from './link/shared-cookies.ts';
import { createWorkerPool, type WorkerPool } from './link/worker-pool.ts';
import { noRules } from './link/worker-rules.ts';
import { alone, type Listening } from './listening.ts';
import { listedTokens } from './tokens/tokens.ts';

export interface OpenPoolOptions {
  id: string;
  /** Of the software. */
  version: string;
  clock: Clock;
  events: EventBus;
  router: CrawlRouter;
  listening: Listening | undefined;
  /** Those of these nonces whose crawls were deleted. */
  deletedAmong: (nonces: readonly string[]) => Promise<string[]>;
}

/** The workers of a coordinator: those of its own process, and behind the server those that connect to it. */
export function openPool(options: OpenPoolOptions): { pool: WorkerPool; server: LinkServer } {
  const { id, version, clock, events, router, listening, deletedAmong } = options;
  const link = { clock, hostsQueued: () => router.hostsQueued(), ...(listening?.link ?? alone) };
  const rules = listening?.rules ?? noRules;
  const share = shareLeases(link);
  const cookies = shareCookies();
  const roster = createLeaseRoster({ link: router.link, clock, mostAway: linkLimits.workers });
  const server = createLinkServer({
    ...link,
    link: router.link,
    id,
    version,
    own: { roster, share, cookies },
    heard: () => undefined,
    tokens: listening?.tokens ?? listedTokens({ own: [], volunteer: [] }),
    crawls: () => router.crawls(),
    bodies: (crawl) => router.bodies(crawl),
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
    clock,
  });
  events.listen(['worker-joined', 'worker-left'], () => pool.changed());
  return { pool, server };
}
