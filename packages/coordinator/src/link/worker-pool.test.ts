import {
  type CoordinatorLink,
  type CrawlId,
  type HostKey,
  type HostLease,
  type LeaseId,
  systemClock,
  type WebfarerEvent,
  type WorkerId,
} from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import type { LinkCrawl, Order, Orders } from '@webfarer/protocol/link';
import { expect, it, vi } from 'vitest';
import { createCrawlRouter } from './crawl-router.ts';
import { createLeaseRoster } from './lease-roster.ts';
import { nothingElsewhere, shareLeases } from './lease-sharing.ts';
import type { LinkedWorker } from './link-server.ts';
import { shareCookies } from './shared-cookies.ts';
import { createWorkerPool, type PoolChange } from './worker-pool.ts';

const crawl = 'c' as CrawlId;
const clock = systemClock();

function about(): LinkCrawl {
  const job = resolveJob({ name: 'c', seeds: ['http://a.test/'] });
  return {
    id: crawl,
    nonce: 'n',
    revision: 'r',
    job,
    seeds: [],
    userAgent: 't',
    urlsPerHost: 5,
    state: 'running',
  };
}

/** A pool on a router with one crawl of three hosts; what is told over the network is noted. */
function poolOf({ far = [] as LinkedWorker[], deleted = [] as string[] } = {}) {
  let granted = 0;
  const link: CoordinatorLink = {
    async lease({ hosts }) {
      const leases = Array.from({ length: Math.min(hosts, 3 - granted) }, (_, i): HostLease => {
        const ids = { id: `l${granted + i}` as LeaseId, crawl, host: `h${granted + i}.test` as HostKey };
        return { ...ids, fence: 1, part: 0, ttlMs: 9, endedAgoMs: null, entries: [], robots: [] };
      });
      granted += leases.length;
      return { leases, nextDueMs: null };
    },
    leaseHost: async () => ({ granted: false, retryAfterMs: 1 }),
    robots: async () => undefined,
    previous: async () => undefined,
    renew: async (leases) => leases.map(() => ({ ok: true, ttlMs: 9 })),
    report: async (reports) => reports.map(() => ({ ok: true, accepted: 0, known: 0 })),
  };
  const router = createCrawlRouter({ clock, weightOf: () => 1, stays: () => true });
  router
    .serve({
      about,
      link,
      shared: false,
      dueInMs: () => 0,
      hostsQueued: async () => 3,
      bodies: {} as never,
      place: { releaseLeases: async () => 0, grantedTo: async () => [] },
    })
    .start();
  const roster = createLeaseRoster({ link: router.link, clock, mostAway: 5, reported: () => undefined });
  const sent: Order[] = [];
  const published: WebfarerEvent[] = [];
  const pool = createWorkerPool({
    router,
    roster,
    share: shareLeases({
      clock,
      hostsQueued: async () => 3,
      stillDry: () => undefined,
      elsewhere: () => nothingElsewhere,
    }),
    cookies: shareCookies(),
    server: {
      workers: () => far,
      keeps: () => ['far-nonce'],
      tell: (_worker, order) => (sent.push(order), true),
      tellAll: (order) => void sent.push(order),
      announce: (of) => void sent.push({ type: 'release', crawl: of }),
      wake: () => void sent.push({ type: 'wake' }),
      load: () => ({ workers: far.length, hosts: far.reduce((sum, { held }) => sum + held, 0) }),
    },
    deletedAmong: async (nonces) => nonces.filter((nonce) => deleted.includes(nonce)),
    version: '0',
    rules: { isCordoned: () => false, isDraining: () => false, closed: () => undefined },
    events: { publish: (event) => published.push(event) },
    clock,
  });
  const changes: PoolChange['type'][] = [];
  pool.onChange(({ type }) => void changes.push(type));
  return { pool, sent, changes, published };
}

function insider(id: string, keeps: string[] = [], isToldAsLeased = false) {
  const told: unknown[] = [];
  const note = (name: string) => (what?: unknown) => void told.push([name, what]);
  const orders: Orders = {
    wake: note('wake'),
    release: note('release'),
    releaseHosts: note('releaseHosts'),
    water: note('water'),
    crawls: (list) => void told.push(['crawls', list.map((one) => one.id)]),
    crawlNews: ({ crawls, gone, over }) => void told.push(['news', crawls.map((one) => one.id), gone, over]),
    deleted: note('deleted'),
    peers: note('peers'),
    switch: note('switch'),
    drain: note('drain'),
  };
  const written = [{ crawl, files: 2, bytes: 10, open: true }];
  const look = () => ({ inFlight: 1, waiting: [], written });
  const closeCrawl = async (of: CrawlId) => void told.push(['close', of]);
  return {
    told,
    worker: {
      id: id as WorkerId,
      connections: 4,
      orders,
      isToldAsLeased,
      look,
      keeps: () => keeps,
      closeCrawl,
    },
  };
}

const far = { worker: 'far', held: 2, connections: 8, cordoned: false } as unknown as LinkedWorker;

it('tells a worker of the crawls before it returns, and counts what it holds until it leaves', async () => {
  const { pool, changes } = poolOf({ far: [far] });
  const { told, worker } = insider('w');
  const joined = pool.connect(worker);
  expect(told).toEqual([['crawls', [crawl]]]);
  await joined.link.lease({ worker: worker.id, hosts: 2, urlsPerHost: 9 });
  expect(pool.leases(crawl)).toMatchObject({ out: 2, awaited: 2 });
  expect(pool.all().map((one) => [one.worker, one.held])).toEqual([
    ['w', 2],
    ['far', 2],
  ]);
  expect(pool.load()).toEqual({ workers: 2, hosts: 4 });
  expect(pool.look(crawl)).toMatchObject({
    written: { files: 2, bytes: 10 },
    hands: { workers: 2, held: 4 },
  });
  joined.leave();
  expect(pool.all().map((one) => one.worker)).toEqual(['far']);
  expect(pool.leases(crawl)).toMatchObject({ out: 2, awaited: 0 });
  expect(changes).toEqual(['workers', 'pause', 'workers']);
});

it('publishes what a worker of its process says of single crawls, each once', () => {
  const { pool, published } = poolOf();
  const { worker } = insider('w');
  const joined = pool.connect(worker);
  const unable = [{ crawl, code: 'blocks-worker', message: 'blocked' }];
  const blocking = [{ crawl, message: 'blocks' }];
  for (let i = 0; i < 2; i++) joined.tellLook({ ...worker.look(), unable, blocking });
  joined.tellLook({ ...worker.look(), unable: [{ crawl, code: 'internal', message: 'another' }] });
  const { name } = about().job;
  expect(published).toEqual([
    { type: 'worker-unable', worker: 'w', crawl, name, code: 'blocks-worker', message: 'blocked' },
    { type: 'worker-blocked', worker: 'w', crawl, text: 'blocks' },
    { type: 'worker-unable', worker: 'w', crawl, name, code: 'internal', message: 'another' },
  ]);
});

it('gives every order to the workers of its process and to those connected over the network', async () => {
  const { pool, sent } = poolOf();
  const { told, worker } = insider('w');
  pool.connect(worker);
  told.length = 0;
  pool.wake();
  pool.release(crawl);
  pool.releaseHosts(['*.a.test']);
  pool.announce(crawl);
  pool.deleted(['n']);
  expect(told).toEqual([
    ['wake', undefined],
    ['release', crawl],
    ['releaseHosts', ['*.a.test']],
    ['crawls', [crawl]],
    ['deleted', ['n']],
  ]);
  expect(sent).toMatchObject([
    { type: 'wake' },
    { type: 'release', crawl },
    { type: 'release', hosts: ['*.a.test'] },
    { type: 'release', crawl },
    { type: 'deleted', nonces: ['n'] },
  ]);
  await pool.closeCrawl(crawl);
  expect(told.at(-1)).toEqual(['close', crawl]);
});

it('drains a worker of its own process without ending it, and one elsewhere by telling it to exit', () => {
  const { pool, sent } = poolOf();
  const { told, worker } = insider('w');
  pool.connect(worker);
  told.length = 0;
  pool.tell(worker.id, 'drain');
  pool.tell('far' as WorkerId, 'drain');
  expect(told).toEqual([['release', undefined]]);
  expect(sent).toEqual([{ type: 'drain', now: false }]);
});

it('tells workers of deletions that they may have missed: when one joins, and when asked to look again', async () => {
  const { pool, sent } = poolOf({ deleted: ['old', 'far-nonce'] });
  const { told, worker } = insider('w', ['old', 'kept']);
  pool.connect(worker);
  await vi.waitFor(() => expect(told.at(-1)).toEqual(['deleted', ['old']]));
  await pool.missedDeletions();
  expect(told.at(-1)).toEqual(['deleted', ['far-nonce', 'old']]);
  expect(sent).toEqual([{ type: 'deleted', nonces: ['far-nonce', 'old'] }]);
});

it('tells a worker of a crawl before it hears of its first lease of it, where it wants that', async () => {
  const { pool } = poolOf();
  const { told, worker } = insider('w', [], true);
  const { link } = pool.connect(worker);
  expect(told).toEqual([
    ['crawls', []],
    ['news', [], [], false],
  ]);
  told.length = 0;
  pool.announce(crawl);
  expect(told).toEqual([]);
  const leased = link.lease({ worker: worker.id, hosts: 1, urlsPerHost: 9 }).then(() => told.push('leased'));
  await leased;
  expect(told.filter((one) => one === 'leased' || (one as unknown[])[0] === 'news')).toEqual([
    ['news', [crawl], [], false],
    'leased',
  ]);
  told.length = 0;
  await link.lease({ worker: worker.id, hosts: 1, urlsPerHost: 9 });
  expect(told.filter((one) => (one as unknown[])[0] === 'news')).toEqual([]);
});
