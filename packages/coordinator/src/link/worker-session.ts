import {
  type Clock,
  type CrawlId,
  type HostLease,
  isStorageTrouble,
  type LeaseId,
  type LeaseRef,
  WebfarerError,
  type WorkerId,
  type WorkerLook,
} from '@webfarer/protocol';
import {
  type ForeignHello,
  type Hello,
  type LinkCrawl,
  linkCloses,
  linkVersion,
  type Order,
  type Peer,
  type Request,
  sendOrders,
  type Trust,
  type WorkerFrame,
} from '@webfarer/protocol/link';
import type { ResourceFrame } from '@webfarer/protocol/resources';
import { withholdSecrets, withRequestSecrets } from '@webfarer/protocol/job';
import { type Bodies, type BodiesOptions, createBodies } from './bodies.ts';
import type { EventBus } from '../events/event-bus.ts';
import { publishNews } from '../events/worker-news.ts';
import type { Connection } from './connection.ts';
import type { LinkLimits } from './link-limits.ts';
import { answerRequest, type RequestParts, untouched } from './requests.ts';
import type { LeaseCalls, LeaseRoster } from './lease-roster.ts';
import type { LeaseShare, WorkerShare } from './lease-sharing.ts';
import type { SharedCookies } from './shared-cookies.ts';
import type { WorkerNames } from './worker-names.ts';
import type { WorkerRules } from './worker-rules.ts';
import { type CrawlsToTell, tellCrawls, type ToldCrawls } from './told/told-crawls.ts';
import { checkVolunteer, type CrawlRules, crawlRules } from './volunteer-checks.ts';

/** A worker that is connected now. */
export interface ConnectedWorker {
  worker: WorkerId;
  session: string;
  trust: Trust;
  /** It is a process of this machine that the coordinator started. */
  isChild: boolean;
  sinceMs: number;
  connections: number;
  address: string;
  version: string;
  connection: Connection;
  leases: WorkerShare;
  bodies: Bodies;
  /** Nonces of the crawls that it kept a folder of when it connected; undefined: it has never heard of such. */
  keeps: readonly string[] | undefined;
  /** It asks for the secrets of crawls that it has leases of. */
  asksSecrets: boolean;
  /** What it knows of the crawls here. */
  told: ToldCrawls;
  /** What it last said it does, and when. */
  look?: WorkerLook & { atMs: number };
}

/** Where frames of resources go. */
export interface ResourceIntake {
  everyMs: number;
  heard(worker: WorkerId, frame: ResourceFrame): void;
}

/** What a worker says that is not answered. */
export type Told = Extract<WorkerFrame, { type: 'look' | 'bye' }>;

/** What all sessions of a server share. */
export interface SessionParts extends RequestParts {
  id: string;
  version: string;
  clock: Clock;
  limits: LinkLimits;
  crawls: CrawlsToTell;
  peers: () => Peer[];
  bodies: BodiesOptions['intakeOf'];
  grantedTo: (worker: WorkerId) => Promise<LeaseRef[]>;
  deletedAmong: (nonces: readonly string[]) => Promise<string[]>;
  share: LeaseShare;
  cookies: SharedCookies;
  heard: (worker: WorkerId, frame: Told) => void;
  rules: WorkerRules;
  resources: ResourceIntake | undefined;
  workers: Map<WorkerId, ConnectedWorker>;
  names: WorkerNames;
  roster: LeaseRoster;
  events: Pick<EventBus, 'publish'>;
}

export interface WorkerSession {
  begin(connection: Connection): void;
  handle(frame: WorkerFrame): Promise<void>;
  closed(reason: string): void;
}

/** How soon a store that did not answer is asked again. */
const ASK_AGAIN_MS = 5_000;

/** One connection of a worker, from its hello to its end. */
export function openWorkerSession(
  parts: SessionParts,
  { trust, address, isChild }: { trust: Trust; address: string; isChild: boolean },
): WorkerSession {
  const { clock, limits, share, workers, roster } = parts;
  const greeted = new AbortController();
  let connection: Connection;
  let connected: ConnectedWorker | undefined;
  /** It has said bye. */
  let isOver = false;

  async function handle(frame: WorkerFrame): Promise<void> {
    if (frame.type === 'hello') return await greet(frame);
    if (frame.type === 'foreign-hello') return turnOut(otherVersion(frame, parts.version));
    if (!connected) throw new WebfarerError('frame-invalid', `${frame.type} arrived before hello`);
    if (frame.type === 'bye') {
      isOver = true;
      parts.heard(connected.worker, frame);
      return connection.close(linkCloses.bye, 'bye');
    }
    if (frame.type === 'dry') return connected.leases.dry(frame.hosts);
    if (frame.type === 'look') {
      // A stranger's words are shown on request, but not logged.
      if (trust === 'own')
        publishNews(newsOf(parts), connected.worker, { before: connected.look, look: frame.look });
      connected.look = { ...frame.look, atMs: clock.now() };
      parts.heard(connected.worker, frame);
      return;
    }
    if (frame.type === 'resources') return parts.resources?.heard(connected.worker, frame.frame);
    await serve(frame, connected);
  }

  async function serve(request: Request, asking: ConnectedWorker): Promise<void> {
    const value = await answerRequest(request, asking, parts);
    tellBefore(request, value, asking);
    if (connection.send({ type: 'answer', id: request.id, value: value ?? null })) return;
    // It never left: nobody knows of these leases.
    const undelivered = grantsIn(request, value);
    if (undelivered.length > 0) await asking.leases.report(undelivered.map(untouched));
  }

  async function greet(hello: Hello): Promise<void> {
    if (connected) throw new WebfarerError('frame-invalid', 'hello arrived twice');
    greeted.abort(new Error('greeted'));
    // A stranger cannot take the place of an own worker by taking its name.
    const worker = (trust === 'own' ? hello.worker : `v:${hello.worker}`) as WorkerId;
    const objection = isChild ? undefined : parts.names.take(worker, hello);
    if (objection) return turnOut(objection);
    replace(worker);
    const { session, holds, holdsAll } = hello;
    const isOwn = trust === 'own';
    const leases = roster.connect({
      worker,
      session,
      holds: isOwn ? holds : [],
      keepsEntries: !isOwn,
      isSeveral: false,
    });
    connected = {
      worker,
      session,
      trust,
      isChild,
      sinceMs: clock.now(),
      connections: hello.connections,
      address,
      version: hello.version,
      connection,
      leases: sharedAmong(leases, worker),
      bodies: createBodies({ trust, intakeOf: parts.bodies }),
      keeps: hello.keeps,
      asksSecrets: hello.asksSecrets ?? false,
      told: tellCrawls({ ...parts, asLeased: hello.asLeased, held: leases.held }),
    };
    workers.set(worker, connected);
    const lost = isOwn && holdsAll ? await neverReached(worker, holds) : [];
    if (lost.length > 0) await connected.leases.report(lost.map(untouched));
    welcome(connected, parts);
    if (parts.rules.isDraining(worker)) connection.send({ type: 'drain', now: false });
    parts.events.publish({ type: 'worker-joined', worker, trust, address });
    await tellDeleted(connected, parts);
  }

  /** Grants that it does not know of: those of this process, and those that a dead one of ours left in the store. */
  async function neverReached(worker: WorkerId, holds: LeaseId[]): Promise<LeaseRef[]> {
    const known = new Set(holds);
    const lost = new Map(roster.undelivered(worker).map((ref) => [ref.id, ref]));
    for (const ref of await parts.grantedTo(worker)) if (!known.has(ref.id)) lost.set(ref.id, ref);
    return [...lost.values()];
  }

  function replace(worker: WorkerId): void {
    const before = workers.get(worker);
    if (!before) return;
    leave(before);
    before.connection.close(linkCloses.replaced, 'replaced by another connection of the same worker');
  }

  function sharedAmong(leases: LeaseCalls, worker: WorkerId): WorkerShare {
    const isOwn = trust === 'own';
    const shared = share.join(
      isOwn ? parts.cookies.share(leases, worker) : leases,
      sendOrders((order) => connection.send(order)),
      () => parts.rules.isCordoned(worker),
    );
    return isOwn
      ? shared
      : checkVolunteer(shared, rulesFor(parts.crawls), () => loggedIn(parts.crawls.crawls()));
  }

  function leave(one: ConnectedWorker): void {
    one.leases.leave();
    one.bodies.leave();
    roster.disconnect(one.worker);
    if (one.trust !== 'own') roster.forget(one.worker);
    if (workers.get(one.worker) === one) workers.delete(one.worker);
  }

  function turnOut({ code, message, next }: WebfarerError): void {
    connection.send({ type: 'error', code, message, ...(next === undefined ? {} : { next }) });
    connection.close(linkCloses.refused, message);
    parts.events.publish({ type: 'worker-refused', address, reason: message });
  }

  return {
    handle,
    begin(opened) {
      connection = opened;
      clock.sleep(limits.helloMs, greeted.signal).then(
        () => connection.close(linkCloses.refused, 'no hello arrived'),
        () => undefined,
      );
    },
    closed(reason) {
      greeted.abort(new Error('closed'));
      if (!connected || workers.get(connected.worker) !== connected) return;
      leave(connected);
      if (!isChild) parts.names.leave(connected.worker, { isOver });
      parts.events.publish({ type: 'worker-left', worker: connected.worker, reason });
    },
  };
}

/** It may have been away when a crawl was deleted that it still keeps on its disk. */
async function tellDeleted(
  one: ConnectedWorker,
  { workers, deletedAmong, clock }: SessionParts,
): Promise<void> {
  const { worker, connection, keeps = [] } = one;
  while (keeps.length > 0 && workers.get(worker) === one) {
    try {
      const nonces = await deletedAmong(keeps);
      if (nonces.length > 0) connection.send({ type: 'deleted', nonces });
      return;
    } catch (error) {
      if (!isStorageTrouble(error)) throw error;
      await clock.sleep(ASK_AGAIN_MS);
    }
  }
}

/**
 * What a worker is told of a crawl before it holds a lease of it: never what only a coordinator needs, nor what its requests
 * carry in secret. A process that the coordinator started itself is told that too; a stranger is never told.
 */
export function toldTo(
  { trust, isChild }: Pick<ConnectedWorker, 'trust' | 'isChild'>,
  crawl: LinkCrawl,
): LinkCrawl {
  const { store: _store, ...whole } = crawl.job;
  const { job, secrets } = withholdSecrets(whole);
  if (isChild) return { ...crawl, job: secrets ? withRequestSecrets(job, secrets) : job };
  if (trust === 'own') return { ...crawl, job, ...(secrets ? { withheld: true } : {}) };
  const { cookieFile: _cookieFile, ...fetch } = job.fetch;
  const { secrets: _secrets, ...about } = crawl;
  return { ...about, job: { ...job, fetch: { ...fetch, proxy: [], headers: [], allowPrivate: [] } } };
}

function welcome(to: ConnectedWorker, { id, version, peers, limits, resources }: SessionParts): void {
  const { crawls, ...rest } = to.told.welcome();
  to.connection.send({
    type: 'welcome',
    v: linkVersion,
    coordinator: id,
    version,
    trust: to.trust,
    crawls: crawls.map((crawl) => toldTo(to, crawl)),
    ...rest,
    peers: peers(),
    heartbeatMs: limits.heartbeatMs,
    ...(resources ? { resourcesEveryMs: resources.everyMs } : {}),
  });
}

/** It hears of the crawls of its leases before it hears of the leases. */
function tellBefore(request: Request, answer: unknown, to: ConnectedWorker): void {
  if (request.type !== 'lease' && request.type !== 'leaseHost') return;
  const news = to.told.beforeLeases(grantsIn(request, answer));
  if (news) sendOrder(to, news);
}

const newsOf = ({ crawls, events }: SessionParts) => ({ crawl: crawls.crawl, events });

/** Nobody is told more of a crawl than its trust allows. */
export function sendOrder(to: ConnectedWorker, order: Order): boolean {
  if (order.type === 'deleted' && !to.keeps) return false;
  if (order.type !== 'crawls' && order.type !== 'crawl-news') return to.connection.send(order);
  return to.connection.send({ ...order, crawls: order.crawls.map((crawl) => toldTo(to, crawl)) });
}

/** The leases in an answer to that request. */
function grantsIn(request: Request, value: unknown): HostLease[] {
  if (request.type === 'lease') return (value as { leases: HostLease[] }).leases;
  if (request.type !== 'leaseHost') return [];
  const answer = value as { granted: boolean; lease: HostLease };
  return answer.granted ? [answer.lease] : [];
}

/** Crawls that read pages with an account of the operator's: a stranger would see other pages. */
function loggedIn(crawls: readonly LinkCrawl[]): CrawlId[] {
  return crawls.filter(({ job }) => job.login.length > 0).map(({ id }) => id);
}

function rulesFor(crawls: CrawlsToTell): (id: CrawlId) => CrawlRules | undefined {
  const known = new Map<CrawlId, { revision: string; rules: CrawlRules }>();
  return (id) => {
    const crawl = crawls.crawl(id);
    if (crawl && known.get(id)?.revision !== crawl.revision)
      known.set(id, { revision: crawl.revision, rules: crawlRules(crawl) });
    return known.get(id)?.rules;
  };
}

function otherVersion({ v, version }: ForeignHello, own: string): WebfarerError {
  const what = v > linkVersion ? `the coordinator (Webfarer ${own})` : `the worker (Webfarer ${version})`;
  return new WebfarerError(
    'link-version',
    `the worker speaks version ${v} of the link, the coordinator version ${linkVersion}: upgrade ${what}`,
  );
}
