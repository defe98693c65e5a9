import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type Clock,
  type CoordinatorLink,
  type CrawlId,
  type LeaseRef,
  WebfarerError,
  type WorkerId,
} from '@webfarer/protocol';
import {
  linkCloses,
  type Order,
  type Peer,
  readWorkerFrame,
  type Trust,
  type WorkerFrame,
} from '@webfarer/protocol/link';
import type { EventBus } from '../events/event-bus.ts';
import type { BodiesOptions } from './bodies.ts';
import { type Connection, openConnection } from './connection.ts';
import { type LinkLimits, linkLimits } from './link-limits.ts';
import { createLeaseRoster, type LeaseRoster } from './lease-roster.ts';
import { type Elsewhere, type LeaseShare, shareLeases } from './lease-sharing.ts';
import { shareCookies, type SharedCookies } from './shared-cookies.ts';
import { createWorkerNames } from './worker-names.ts';
import type { CrawlsToTell } from './told/told-crawls.ts';
import type { WorkerRules } from './worker-rules.ts';
import { openSockets, type Socket, type SocketEvents, streamSocket, turnAway } from './sockets.ts';
import { digestIn, type LinkTokens } from '../tokens/tokens.ts';
import {
  type ConnectedWorker,
  type ResourceIntake,
  openWorkerSession,
  type SessionParts,
  sendOrder,
  type Told,
} from './worker-session.ts';

export interface LinkServerOptions {
  /** Of this coordinator. */
  id: string;
  /** Of the software. */
  version: string;
  clock: Clock;
  link: CoordinatorLink;
  tokens: LinkTokens;
  crawls: CrawlsToTell;
  peers: () => Peer[];
  /** Those of these nonces whose crawls were deleted. */
  deletedAmong: (nonces: readonly string[]) => Promise<string[]>;
  /** Hosts that have something queued. */
  hostsQueued: () => Promise<number>;
  /** Where bodies go that workers send, or `bodiesNotTaken`. */
  bodies: BodiesOptions['intakeOf'];
  /** The process that held these is dead. Called for own workers only. */
  releaseLeases: (worker: WorkerId) => Promise<unknown>;
  /** What an own worker was granted, as far as that is known at once. */
  grantedTo: (worker: WorkerId) => Promise<LeaseRef[]>;
  /** Shared with the workers of the coordinator's own process; undefined: it has none. */
  own: OwnProcess | undefined;
  /** A worker is dry and nobody here has a host to spare: other coordinators' workers may. */
  stillDry: (hosts: number) => void;
  /** What the workers of other coordinators hold, and whether any of them are dry. */
  elsewhere: () => Elsewhere;
  limits?: Partial<LinkLimits>;
  rules: WorkerRules;
  /** Where workers send what their machines use, and how often; undefined: they are not asked for it. */
  resources: ResourceIntake | undefined;
  /** A worker told what it does, or that it leaves. */
  heard: (worker: WorkerId, frame: Told) => void;
  events: Pick<EventBus, 'publish'>;
}

/** What a link server shares with the workers of its coordinator's process. */
export interface OwnProcess {
  roster: LeaseRoster;
  share: LeaseShare;
  cookies: SharedCookies;
  /** One of them has this name. */
  isInside: (worker: WorkerId) => boolean;
}

export interface LinkedWorker
  extends Omit<
    ConnectedWorker,
    'connection' | 'leases' | 'bodies' | 'keeps' | 'isChild' | 'asksSecrets' | 'told'
  > {
  /** Hosts it holds. */
  held: number;
  /** It could take more than there was when it last asked. */
  hungry: boolean;
  /** An operator decided that it is given nothing new. */
  cordoned: boolean;
}

/** Where workers connect to: carries the coordinator's link in frames. */
export interface LinkServer {
  /** For requests to `/link` that want to become a WebSocket. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Serves a process of our own at the other end of a stream that nobody else can reach. */
  accept(stream: Duplex, address: string): void;
  workers(): LinkedWorker[];
  /** How many there are, and how many hosts they hold; for those who look often. */
  load(counts?: (worker: WorkerId) => boolean): { workers: number; hosts: number };
  /** Nonces of the crawls that any of them kept a folder of when it connected. */
  keeps(): Iterable<string>;
  /** False: it is not connected here. */
  tell(worker: WorkerId, order: Order): boolean;
  tellAll(order: Order): void;
  /** Something about that crawl has changed: tells whoever knows it. */
  announce(crawl: CrawlId): void;
  /** Something may be due: whoever went away hungry may ask again. */
  wake(): void;
  /** Workers of another coordinator are dry: asks those here for so many hosts; answers for how many it asked. */
  water(hosts: number): number;
  /** Says bye to everybody, and why; they look for another coordinator, or end where there is nothing left to do. */
  stop(reason?: string): Promise<void>;
}

/** Those who do not agree to a bye are cut off. */
const BYE_PATIENCE_MS = 1_000;

export function createLinkServer(options: LinkServerOptions): LinkServer {
  const { clock, tokens } = options;
  const limits = { ...linkLimits, ...options.limits };
  const sockets = openSockets(limits.frameBytes);
  /** Each with the token it came with; undefined: it needed none. */
  const connections = new Map<Connection, string | undefined>();
  const ended = new AbortController();
  const allClosed = Promise.withResolvers<void>();
  const workers = new Map<WorkerId, ConnectedWorker>();
  const roster =
    options.own?.roster ??
    createLeaseRoster({
      link: options.link,
      clock,
      mostAway: limits.workers,
      reported: () => undefined,
    });
  const parts: SessionParts = {
    ...options,
    limits,
    async releaseLeases(worker) {
      await options.releaseLeases(worker);
      roster.forget(worker);
    },
    share:
      options.own?.share ??
      shareLeases({
        clock,
        hostsQueued: options.hostsQueued,
        stillDry: options.stillDry,
        elsewhere: options.elsewhere,
      }),
    cookies: options.own?.cookies ?? shareCookies(),
    workers,
    names: createWorkerNames({ clock, most: limits.workers, isInside: options.own?.isInside }),
    roster,
  };

  /** Why a request does not become a socket. */
  function objection({ headers }: IncomingMessage): [status: string, reason: string] | undefined {
    if (ended.signal.aborted) return ['503 Service Unavailable', 'the coordinator is shutting down'];
    const closed = options.rules.closed();
    if (closed !== undefined) return ['503 Service Unavailable', closed];
    // Workers send none: a browser that a stranger's page sends here does.
    if (headers.origin !== undefined) return ['403 Forbidden', 'the link is for workers, not for browsers'];
    if (connections.size >= limits.workers)
      return ['503 Service Unavailable', `the limit of ${limits.workers} connected workers is reached`];
    return undefined;
  }

  function handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const address = request.socket.remoteAddress ?? 'unknown';
    const digest = digestIn(request.headers.authorization) ?? '';
    const trust = tokens.trustOf(digest);
    const [status, reason] =
      objection(request) ?? (trust ? [] : ['401 Unauthorized', 'the token is missing or not accepted here']);
    if (!trust || status !== undefined) {
      turnAway(socket, status ?? '', reason ?? '');
      parts.events.publish({ type: 'worker-refused', address, reason: reason ?? '' });
      return;
    }
    sockets.accept(request, socket, head, (accepted) => begin(accepted, { trust, address, digest }));
  }

  function begin(socket: Socket, { trust, address, digest }: Arrival): SocketEvents {
    const session = openWorkerSession(parts, { trust, address, isChild: digest === undefined });
    const { connection, events } = openConnection(socket, {
      clock,
      limits,
      read: digest === undefined ? parseFrame : readWorkerFrame,
      handle: session.handle,
      closed(why) {
        connections.delete(connection);
        session.closed(why);
        if (connections.size === 0 && ended.signal.aborted) allClosed.resolve();
      },
    });
    connections.set(connection, digest);
    session.begin(connection);
    return events;
  }

  async function keepBeating(): Promise<void> {
    while (!ended.signal.aborted) {
      await clock.sleep(limits.heartbeatMs, ended.signal).catch(() => undefined);
      for (const [connection, digest] of connections) {
        connection.beat();
        // Its token was revoked since.
        if (digest !== undefined && !tokens.trustOf(digest))
          connection.close(linkCloses.revoked, 'the token was revoked');
      }
    }
  }
  void keepBeating();

  return {
    handleUpgrade,
    accept: (stream, address) =>
      streamSocket(stream, limits.frameBytes, (socket) =>
        begin(socket, { trust: 'own', address, digest: undefined }),
      ),
    workers: () => Array.from(workers.values(), (one) => linkedWorker(one, options.rules)),
    load(counts = () => true) {
      const load = { workers: 0, hosts: 0 };
      for (const { worker, leases } of workers.values()) {
        if (!counts(worker)) continue;
        load.workers++;
        load.hosts += leases.held.size;
      }
      return load;
    },
    *keeps() {
      for (const { keeps = [] } of workers.values()) yield* keeps;
    },
    tell(worker, order) {
      const connected = workers.get(worker);
      return connected !== undefined && sendOrder(connected, order);
    },
    tellAll(order) {
      for (const connected of workers.values()) sendOrder(connected, order);
    },
    announce(crawl) {
      for (const connected of workers.values()) {
        const news = connected.told.changed(crawl);
        if (news) sendOrder(connected, news);
      }
    },
    wake: () => parts.share.wake(),
    water: (hosts) => parts.share.water(hosts),
    async stop(reason = 'it ends') {
      ended.abort(new Error('stopped'));
      if (connections.size === 0) return;
      for (const connection of connections.keys()) {
        connection.send({ type: 'bye', reason });
        connection.close(linkCloses.bye, reason);
      }
      const patience = new AbortController();
      clock.sleep(BYE_PATIENCE_MS, patience.signal).then(
        () => connections.forEach((_, connection) => connection.cut()),
        () => undefined,
      );
      await allClosed.promise;
      patience.abort(new Error('over'));
    },
  };
}

interface Arrival {
  trust: Trust;
  address: string;
  digest: string | undefined;
}

/** A process of this very version has checked what it sends. */
function parseFrame(text: string): WorkerFrame {
  return JSON.parse(text) as WorkerFrame;
}

/** For a coordinator that keeps no bodies. */
export function bodiesNotTaken(): never {
  throw new WebfarerError('frame-invalid', 'bodies are not accepted here');
}

/** Field by field: it is asked for several times a second, and leaving out some costs far more than naming the others. */
function linkedWorker(connected: ConnectedWorker, rules: WorkerRules): LinkedWorker {
  const { worker, session, trust, sinceMs, connections, address, version, leases, look } = connected;
  const load = { held: leases.held.size, hungry: leases.hungry, cordoned: rules.isCordoned(worker) };
  return {
    worker,
    session,
    trust,
    sinceMs,
    connections,
    address,
    version,
    ...load,
    ...(look ? { look } : {}),
  };
}
