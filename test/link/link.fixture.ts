import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BodyIntake,
  createEventBus,
  bodiesNotTaken,
  createLinkServer,
  type EventBus,
  type LinkLimits,
  type LinkServer,
  type LinkServerOptions,
  listedTokens,
  noRules,
  type ResourceIntake,
  type WorkerRules,
  openSqliteFrontier,
  type SqliteFrontier,
  tokenDigest,
  nothingElsewhere,
} from '@webfarer/coordinator';
import {
  type CoordinatorLink,
  type CrawlId,
  type HostLease,
  type LeaseReport,
  type Offer,
  type PageRecord,
  systemClock,
  type Url,
  type WorkerId,
} from '@webfarer/protocol';
import { allOver } from '@webfarer/protocol/crawl';
import { type LinkCrawl, type Peer, sendOrders } from '@webfarer/protocol/link';
import { checkJob } from '@webfarer/protocol/job';
import {
  createLinkClient,
  keepPeers,
  dialWebSocket,
  type LinkClient,
  type LinkClientOptions,
} from '@webfarer/worker';

/** Real sockets on this machine between a real link server on a real SQLite frontier and real link clients. */

export const crawl = 'c' as CrawlId;
export const ownToken = 'own-token-of-this-test';
export const volunteerToken = 'volunteer-token-of-this-test';
export const clock = systemClock();

export const url = (text: string) => text as Url;
export const offer = (text: string, depth = 0): Offer => ({
  url: url(text),
  kind: 'page',
  depth,
  cost: 0,
  hops: 0,
});

export async function temporaryFolder(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'webfarer-link-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

export async function openFrontier(path: string): Promise<SqliteFrontier> {
  const frontier = openSqliteFrontier({ path, clock });
  const settings = { gapMs: 0, leaseTtlMs: 60_000, maxFetchMs: 0, backoffMs: 1, deadAfter: 3, limits: {} };
  await frontier.openCrawl({ id: crawl, ...settings });
  return frontier;
}

export function frontierLink(frontier: SqliteFrontier): CoordinatorLink {
  return {
    lease: async (request) => {
      const { leases, nextDueMs } = await frontier.lease(request);
      return { leases, nextDueMs };
    },
    leaseHost: (request) => frontier.leaseHost(request),
    robots: (origin) => frontier.robots(origin),
    previous: () => Promise.resolve(undefined),
    renew: (leases) => frontier.renew(leases),
    report: (reports) => frontier.report(reports),
  };
}

export function linkCrawl(): LinkCrawl {
  const job = checkJob({ seeds: ['http://a.test/'] });
  if (!('job' in job)) throw new Error('the job of this test is not valid');
  return {
    id: crawl,
    nonce: 'n1',
    revision: 'r1',
    job: job.job,
    seeds: [url('http://a.test/')],
    userAgent: 'Webfarer/0 (test)',
    urlsPerHost: 10,
    state: 'running',
  };
}

export interface Station {
  server: LinkServer;
  url: string;
  port: number;
  events: EventBus;
  /** As if the process were killed: sockets are cut, nothing is said. */
  cut(): Promise<void>;
  close(): Promise<void>;
}

export interface StationOptions {
  link: CoordinatorLink;
  frontier: SqliteFrontier;
  port?: number;
  id?: string;
  limits?: Partial<LinkLimits>;
  peers?: () => Peer[];
  bodies?: BodyIntake;
  deletedAmong?: (nonces: readonly string[]) => Promise<string[]>;
  rules?: WorkerRules;
  crawls?: () => LinkCrawl[];
  resources?: ResourceIntake;
  /** Digests of the tokens of own workers; by default that of `ownToken`. */
  own?: () => readonly string[];
}

function rethrow(error: unknown): never {
  throw error;
}

function crawlsToTell(crawls: () => LinkCrawl[]): LinkServerOptions['crawls'] {
  return {
    crawls,
    crawl: (id) => crawls().find((one) => one.id === id),
    isOver: () => allOver(crawls()),
  };
}

export async function openStation(options: StationOptions): Promise<Station> {
  const { frontier, link, port = 0, id = 'c1', limits = {}, peers = () => [], bodies } = options;
  const events = createEventBus({ clock, failed: rethrow });
  const server = createLinkServer({
    own: undefined,
    id,
    version: '0.0.0',
    heard: () => undefined,
    rules: options.rules ?? noRules,
    resources: options.resources,
    clock,
    link,
    tokens: listedTokens({
      get own() {
        return options.own?.() ?? [tokenDigest(ownToken)];
      },
      volunteer: [tokenDigest(volunteerToken)],
    }),
    crawls: crawlsToTell(options.crawls ?? (() => [linkCrawl()])),
    peers,
    bodies: bodies ? () => bodies : bodiesNotTaken,
    hostsQueued: async () => (await frontier.totals(crawl)).hostsQueued,
    releaseLeases: (worker) => frontier.releaseAll(worker),
    grantedTo: (worker) => frontier.owner.grantedTo(worker),
    deletedAmong: options.deletedAmong ?? (() => Promise.resolve([])),
    stillDry: () => {},
    elsewhere: () => nothingElsewhere,
    limits,
    events,
  });
  const http = createServer();
  const sockets = new Set<{ destroy(): unknown }>();
  http.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  http.on('upgrade', (request, socket, head) => server.handleUpgrade(request, socket, head));
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
  const real = (http.address() as AddressInfo).port;
  const closed = () => new Promise<void>((resolve) => http.close(() => resolve()));
  return {
    server,
    events,
    port: real,
    url: `http://127.0.0.1:${real}`,
    async cut() {
      const over = closed();
      for (const socket of sockets) socket.destroy();
      await over;
      await server.stop();
    },
    async close() {
      await server.stop();
      await closed();
    },
  };
}

export function openClient(
  urls: string[],
  folder: string,
  changes: Partial<LinkClientOptions> = {},
): LinkClient {
  const quiet = () => undefined;
  return createLinkClient({
    urls,
    dial: dialWebSocket(() => ownToken),
    worker: 'w1' as WorkerId,
    key: undefined,
    version: '0.0.0',
    connections: 8,
    keeps: () => [],
    asLeased: undefined,
    fresh: true,
    clock,
    random: Math.random,
    outboxFile: join(folder, 'outbox.jsonl'),
    peers: keepPeers(join(folder, 'coordinators.json'), urls),
    orders: sendOrders(quiet),
    changed: quiet,
    refused: quiet,
    ...changes,
  });
}

export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  forMs = 5_000,
): Promise<void> {
  const end = clock.now() + forMs;
  while (!(await holds())) {
    if (clock.now() > end) throw new Error(`waited ${forMs} ms in vain: ${what}`);
    await clock.sleep(5);
  }
}

export function doneReport(
  lease: HostLease,
  changes: Partial<LeaseReport> = {},
  links: string[] = [],
): LeaseReport {
  const { id, host, fence } = lease;
  const settled = lease.entries.map((entry) => {
    const record: PageRecord = {
      url: entry.url,
      verdict: 'done',
      reason: 'ok',
      kind: entry.kind,
      depth: entry.depth,
      attempts: 1,
      status: 200,
      bytes: 10,
      startedAtMs: 5,
      durationMs: 7,
      links: links.length,
      items: 0,
    };
    const edges = links.map((to) => ({ to: url(to), rel: 'a' }));
    const offers = links.map((to) => offer(to, entry.depth + 1));
    return { kind: 'outcome' as const, url: entry.url, record, offers, edges, items: [], dropped: {} };
  });
  const news = { endedAgoMs: 0, gapMs: 0, why: 'gap', health: 'ok' } as const;
  return { id, crawl, host, fence, settled, news, close: true, ...changes };
}
