import type {
  Clock,
  CoordinatorLink,
  CrawlId,
  HostLease,
  Pause,
  WorkerId,
  WorkerLook,
} from '@webfarer/protocol';
import { publishNews, type WorkerNewsParts } from '../events/worker-news.ts';
import { frameBounds, obey, type Order, type Orders } from '@webfarer/protocol/link';
import type { CrawlRouter } from './crawl-router.ts';
import type { LinkedWorker, LinkServer } from './link-server.ts';
import type { LeaseCount, LeaseRoster, LiveLease } from './lease-roster.ts';
import type { LeaseShare, WorkerShare } from './lease-sharing.ts';
import type { WorkerRules } from './worker-rules.ts';
import type { SharedCookies } from './shared-cookies.ts';
import { tellCrawls, type ToldCrawls } from './told/told-crawls.ts';
import { lookAtWorkers, type WorkersLook } from './worker-looks.ts';

/** A worker in the same process. */
export interface InProcessWorker {
  readonly id: WorkerId;
  /** Hosts it works on at the same time. */
  readonly connections: number;
  readonly orders: Orders;
  /** It is told of a crawl before the first lease of it; else of all crawls before it is connected. */
  readonly isToldAsLeased: boolean;
  look(): WorkerLook;
  /** Nonces of the crawls that it keeps a folder of. */
  keeps(): string[];
  /** Resolves when nothing of the crawl is in flight, and all of it is reported, durable and closed. */
  closeCrawl(crawl: CrawlId): Promise<void>;
}

export interface InProcessLink {
  readonly link: CoordinatorLink;
  /** Something about the worker has changed that people may want to know. */
  tellLook(look: WorkerLook): void;
  /** The worker is gone and has given back everything. */
  leave(): void;
}

export interface WorkerPoolOptions {
  router: CrawlRouter;
  roster: LeaseRoster;
  share: LeaseShare;
  cookies: SharedCookies;
  server: Pick<LinkServer, 'workers' | 'keeps' | 'tell' | 'tellAll' | 'announce' | 'wake' | 'load'>;
  /** Those of these nonces whose crawls were deleted. */
  deletedAmong: (nonces: readonly string[]) => Promise<string[]>;
  /** Of the software. */
  version: string;
  rules: WorkerRules;
  events: WorkerNewsParts['events'];
  clock: Clock;
}

/** Every worker of a coordinator: those in its process, and those that are connected to it. */
export interface WorkerPool {
  /** Joins a worker of this process, and tells it of the crawls before it returns. */
  connect(worker: InProcessWorker): InProcessLink;
  all(): LinkedWorker[];
  /** Whether it is a worker of this process. */
  isInside(worker: WorkerId): boolean;
  /** How many there are, and how many hosts they hold; for those who look often. */
  load(counts?: (worker: WorkerId) => boolean): { workers: number; hosts: number };
  /** Something may be due that was not before. */
  wake(): void;
  /** `drain`: give back all hosts and exit; a worker of this process gives them back and stays. */
  tell(worker: WorkerId, order: 'wake' | 'drain'): void;
  /** Finish what is in flight of this crawl and give back the rest. */
  release(crawl: CrawlId): void;
  /** The same for hosts that fit one of these patterns, of any crawl. */
  releaseHosts(patterns: readonly string[]): void;
  /** Something about that crawl has changed: tells whoever must know. */
  announce(crawl: CrawlId): void;
  /** Workers are to erase what they keep of the crawls with these nonces. */
  deleted(nonces: readonly string[]): void;
  /** Asks again which of the crawls that workers keep were deleted: the news of some may have been missed. */
  missedDeletions(): Promise<void>;
  look(crawl: CrawlId): WorkersLook & { written: { files: number; bytes: number } };
  /** Leases of a crawl that workers have. */
  leases(crawl: CrawlId): LeaseCount;
  /** All leases that workers have, as far as is known here. */
  liveLeases(): Iterable<LiveLease>;
  /** Workers of this process have nothing of the crawl any more, and all they saved is complete. */
  closeCrawl(crawl: CrawlId): Promise<void>;
  /** A worker of this process has paused by itself, or resumed. */
  paused(worker: WorkerId, pause: Pause | undefined): void;
  /** Called when workers come, go, pause or resume. */
  onChange(listener: (change: PoolChange) => void): () => void;
  /** Those connected over the network came or went. */
  changed(): void;
}

export type PoolChange = { type: 'workers' } | { type: 'pause'; worker: WorkerId; pause: Pause | undefined };

interface Inside {
  worker: InProcessWorker;
  crawls: ToldCrawls;
  leases: WorkerShare;
  sinceMs: number;
  /** As it was last told. */
  told: WorkerLook | undefined;
}

export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const { router, roster, share, server, clock } = options;
  const inside = new Map<WorkerId, Inside>();
  const listeners = new Set<(change: PoolChange) => void>();

  const tell = (change: PoolChange) => {
    for (const listener of listeners) listener(change);
  };

  const all = () => [...Array.from(inside.values(), (one) => linked(one, options)), ...server.workers()];

  function deleted(nonces: readonly string[]): void {
    if (nonces.length === 0) return;
    for (const { worker } of inside.values()) worker.orders.deleted(nonces);
    for (let from = 0; from < nonces.length; from += frameBounds.nonces)
      server.tellAll({ type: 'deleted', nonces: nonces.slice(from, from + frameBounds.nonces) });
  }

  async function missedDeletions(): Promise<void> {
    const kept = new Set(server.keeps());
    for (const { worker } of inside.values()) for (const nonce of worker.keeps()) kept.add(nonce);
    deleted(await options.deletedAmong([...kept]));
  }

  return {
    all,
    deleted,
    missedDeletions,
    connect(worker) {
      const held = roster.connect({
        worker: worker.id,
        session: '',
        holds: [],
        keepsEntries: false,
        isSeveral: true,
      });
      const isCordoned = () => options.rules.isCordoned(worker.id);
      const leases = share.join(options.cookies.share(held, worker.id), worker.orders, isCordoned);
      const asLeased = worker.isToldAsLeased ? [] : undefined;
      const crawls = tellCrawls({ crawls: router, clock, asLeased, held: leases.held });
      const one: Inside = { worker, crawls, leases, sinceMs: clock.now(), told: undefined };
      inside.set(worker.id, one);
      greet(one);
      tell({ type: 'workers' });
      // Should the store not answer, they are asked about with the next start.
      void options.deletedAmong(worker.keeps()).then(
        (nonces) => nonces.length > 0 && worker.orders.deleted(nonces),
        () => undefined,
      );
      return {
        link: linkOf(one, router.link),
        tellLook(look) {
          publishNews({ crawl: router.crawl, events: options.events }, worker.id, { before: one.told, look });
          one.told = look;
        },
        leave() {
          leases.leave();
          roster.disconnect(worker.id);
          if (inside.get(worker.id) === one) inside.delete(worker.id);
          tell({ type: 'pause', worker: worker.id, pause: undefined });
          tell({ type: 'workers' });
        },
      };
    },
    isInside: (worker) => inside.has(worker),
    load(counts = () => true) {
      const load = server.load(counts);
      for (const { worker, leases } of inside.values()) {
        if (!counts(worker.id)) continue;
        load.workers++;
        load.hosts += leases.held.size;
      }
      return load;
    },
    wake() {
      for (const { worker } of inside.values()) worker.orders.wake();
      server.wake();
    },
    tell(worker, order) {
      const orders = inside.get(worker)?.worker.orders;
      if (!orders) server.tell(worker, order === 'wake' ? { type: 'wake' } : { type: 'drain', now: false });
      else if (order === 'wake') orders.wake();
      else orders.release(undefined);
    },
    release(crawl) {
      for (const { worker } of inside.values()) worker.orders.release(crawl);
      server.tellAll({ type: 'release', crawl });
    },
    releaseHosts(patterns) {
      for (let from = 0; from < patterns.length; from += frameBounds.patterns) {
        const hosts = patterns.slice(from, from + frameBounds.patterns);
        for (const { worker } of inside.values()) worker.orders.releaseHosts(hosts);
        server.tellAll({ type: 'release', hosts });
      }
    },
    announce(crawl) {
      for (const one of inside.values()) tellNews(one, one.crawls.changed(crawl));
      server.announce(crawl);
    },
    look(crawl) {
      const written = { files: 0, bytes: 0 };
      for (const { worker } of inside.values()) {
        for (const one of worker.look().written) {
          if (one.crawl !== crawl) continue;
          written.files += one.files;
          written.bytes += one.bytes;
        }
      }
      return { ...lookAtWorkers(all(), crawl, clock.now()), written };
    },
    leases: (crawl) => roster.count(crawl),
    liveLeases: () => roster.live(),
    async closeCrawl(crawl) {
      await Promise.all(Array.from(inside.values(), ({ worker }) => worker.closeCrawl(crawl)));
    },
    paused: (worker, pause) => tell({ type: 'pause', worker, pause }),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    changed: () => tell({ type: 'workers' }),
  };
}

/** Calls of a worker that hears of the crawls of its leases before it hears of the leases. */
function linkOf(one: Inside, { robots, previous }: CoordinatorLink): CoordinatorLink {
  const { leases, crawls } = one;
  const tellOf = (granted: readonly HostLease[]) => tellNews(one, crawls.beforeLeases(granted));
  return {
    async lease(request) {
      const left = crawls.untold();
      const without = left.length > 0 ? { without: [...(request.without ?? []), ...left] } : {};
      const answer = await leases.lease({ ...request, ...without });
      tellOf(answer.leases);
      return answer;
    },
    async leaseHost(request) {
      const answer = await leases.leaseHost(request);
      if (answer.granted) tellOf([answer.lease]);
      return answer;
    },
    renew: leases.renew,
    report: leases.report,
    robots,
    previous,
  };
}

function greet({ worker: { orders }, crawls }: Inside): void {
  const { crawls: known, over } = crawls.welcome();
  orders.crawls(known);
  if (over !== undefined) orders.crawlNews({ crawls: [], gone: [], resting: [], over });
}

function tellNews({ worker }: Inside, news: Order | undefined): void {
  if (news) obey(news, worker.orders);
}

function linked(
  { worker, leases, sinceMs }: Inside,
  { version, rules, clock }: WorkerPoolOptions,
): LinkedWorker {
  return {
    worker: worker.id,
    session: '',
    trust: 'own',
    sinceMs,
    connections: worker.connections,
    address: 'this process',
    version,
    held: leases.held.size,
    hungry: leases.hungry,
    cordoned: rules.isCordoned(worker.id),
    look: { ...worker.look(), atMs: clock.now() },
  };
}
