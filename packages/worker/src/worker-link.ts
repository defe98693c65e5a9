import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type {
  Clock,
  CoordinatorLink,
  CrawlId,
  WebfarerError,
  WorkerId,
  WorkerLook,
} from '@webfarer/protocol';
import type { LinkCrawl, Orders, SentFailure } from '@webfarer/protocol/link';
import type { ResourceFrame } from '@webfarer/protocol/resources';
import type { Hooks } from './crawls/crawl-context.ts';
import type { AskSecrets } from './crawls/request-rules.ts';
import { createLinkClient, type LinkState } from './link/link-client.ts';
import { keepPeers, noPeers } from './link/known-peers.ts';
import { dialParent, dialWebSocket } from './link/socket.ts';
import { createSpool, type Spool } from './link/spool.ts';

/** How a worker is linked to its coordinator. */
export type LinkChoice =
  /** Both are in one process. Only here can the user's own functions be called. */
  | { kind: 'in-process'; connect: ConnectWorker; hooks?: (crawl: LinkCrawl) => Hooks }
  /** In a child process, over a stream whose other end the parent holds. */
  | { kind: 'parent'; stream: Duplex }
  /** Over WebSocket, with any of these coordinators and those learnt from them. */
  | {
      kind: 'network';
      urls: readonly string[];
      /** Read for every new connection; throws where there is none at the moment. */
      token: () => string;
      /** By which coordinators know this worker again; see `openWorkerFolder`. */
      key: string;
    };

/** Joins a worker to a coordinator in the same process, which tells it of its crawls before it returns. */
export type ConnectWorker = (worker: InProcessWorker) => InProcessLink;

/** A worker as a coordinator in the same process sees it. */
export interface InProcessWorker {
  readonly id: WorkerId;
  /** Hosts it works on at the same time. */
  readonly connections: number;
  readonly orders: Orders;
  /** It is told of a crawl before the first lease of it; else of all crawls before it is connected. */
  readonly isToldAsLeased: boolean;
  look(): WorkerLook;
  /** Nonces of the crawls that it keeps a folder of, to be told which of them were deleted. */
  keeps(): string[];
  /** Resolves when nothing of the crawl is in flight, and all of it is reported, durable and closed. */
  closeCrawl(crawl: LinkCrawl['id']): Promise<void>;
}

export interface InProcessLink {
  readonly link: CoordinatorLink;
  /** Something about the worker has changed that people may want to know. */
  tellLook(look: WorkerLook): void;
  /** The worker is gone and has given back everything. */
  leave(): void;
}

/** A worker's way to its coordinator, whichever it is. */
export interface WorkerLink {
  readonly link: CoordinatorLink;
  /** Where captures wait that a coordinator elsewhere wants. */
  readonly spool: Spool | undefined;
  readonly askSecrets: AskSecrets;
  /** Resolves when the coordinator is there; rejects when it refuses this worker. */
  start(): Promise<void>;
  /** Says goodbye. */
  stop(failure: SentFailure | undefined): Promise<void>;
  state(): LinkState;
  /** No other coordinator is known that could have work. */
  alone(): boolean;
  tellLook(look: WorkerLook, how: { exactly: boolean }): void;
  /** How often the coordinator wants to know what this machine uses; undefined: never, or there is none. */
  resourcesEveryMs(): number | undefined;
  tellResources(frame: ResourceFrame): void;
}

export interface WorkerLinkOptions {
  choice: LinkChoice;
  id: WorkerId;
  version: string;
  /** Locked, so that no other process with this identity is alive. */
  folder: string;
  connections: number;
  clock: Clock;
  random: () => number;
  orders: Orders;
  worker: Pick<InProcessWorker, 'isToldAsLeased' | 'look' | 'keeps' | 'closeCrawl'>;
  /** The crawls that it was told of. */
  knows: () => CrawlId[];
  changed: (state: LinkState) => void;
  refused: (error: WebfarerError) => void;
}

export function openWorkerLink(options: WorkerLinkOptions): WorkerLink {
  const { choice } = options;
  switch (choice.kind) {
    case 'in-process':
      return inProcess(choice.connect, options);
    case 'parent':
      return toParent(choice.stream, options);
    case 'network':
      return overNetwork(choice, options);
  }
}

function inProcess(connect: ConnectWorker, options: WorkerLinkOptions): WorkerLink {
  const { id, connections, orders, clock, worker } = options;
  const sinceMs = clock.now();
  let joined: InProcessLink | undefined;
  /** The worker is told of crawls while it is being joined. */
  const at = () => {
    if (!joined) throw new Error('the worker is not started');
    return joined.link;
  };
  return {
    link: {
      lease: (request) => at().lease(request),
      leaseHost: (request) => at().leaseHost(request),
      robots: (origin) => at().robots(origin),
      previous: (question) => at().previous(question),
      renew: (leases) => at().renew(leases),
      report: (reports) => at().report(reports),
    },
    spool: undefined,
    // The job of a crawl in the same process has them.
    askSecrets: () => Promise.reject(new Error('nothing is withheld in the process of the coordinator')),
    async start() {
      joined ??= connect({ id, connections, orders, ...worker });
    },
    async stop() {
      joined?.leave();
    },
    state: () => ({
      connected: joined !== undefined,
      everConnected: joined !== undefined,
      sinceMs,
      attempts: 0,
      outbox: 0,
    }),
    alone: () => false,
    tellLook: (look) => joined?.tellLook(look),
    // The coordinator of this process looks at it itself.
    resourcesEveryMs: () => undefined,
    tellResources: () => undefined,
  };
}

/** The parent is there as long as the stream is open, however long it takes to answer. */
const PARENT_PATIENCE_MS = 600_000;

/** The parent outlives this process or both are over: nothing is kept for later, and nobody else is looked for. */
function toParent(stream: Duplex, options: WorkerLinkOptions): WorkerLink {
  const { id, version, connections, clock, random, orders, worker, changed, refused } = options;
  const client = createLinkClient({
    urls: ['the parent process'],
    dial: dialParent(stream),
    worker: id,
    key: undefined,
    version,
    connections,
    keeps: worker.keeps,
    asLeased: undefined,
    fresh: false,
    clock,
    random,
    outboxFile: undefined,
    peers: noPeers,
    leastPatienceMs: PARENT_PATIENCE_MS,
    orders,
    changed,
    refused,
  });
  return {
    link: client.link,
    spool: undefined,
    askSecrets: (crawl) => client.askSecrets(crawl),
    start: () => client.start(),
    stop: (failure) => client.stop(failure),
    state: () => client.state(),
    alone: () => false,
    tellLook: (look, how) => client.tellLook(look, how),
    resourcesEveryMs: () => client.resourcesEveryMs(),
    tellResources: (frame) => client.tellResources(frame),
  };
}

function overNetwork(
  { urls, token, key }: Extract<LinkChoice, { kind: 'network' }>,
  options: WorkerLinkOptions,
): WorkerLink {
  const { id, version, folder, connections, clock, random, orders, worker, changed, refused } = options;
  const spool = createSpool(folder);
  const client = createLinkClient({
    urls,
    dial: dialWebSocket(token),
    worker: id,
    key,
    version,
    connections,
    keeps: worker.keeps,
    asLeased: worker.isToldAsLeased ? options.knows : undefined,
    fresh: true,
    clock,
    random,
    spool,
    outboxFile: join(folder, 'outbox.jsonl'),
    peers: keepPeers(join(folder, 'coordinators.json'), urls),
    orders,
    changed,
    refused,
  });
  return {
    link: client.link,
    spool,
    askSecrets: (crawl) => client.askSecrets(crawl),
    start: () => client.start(),
    async stop(failure) {
      await client.stop(failure);
      await spool.close();
    },
    state: () => client.state(),
    alone() {
      const { coordinator } = client.state();
      return client.peers().every(({ id: peer }) => peer === coordinator);
    },
    tellLook: (look, how) => client.tellLook(look, how),
    resourcesEveryMs: () => client.resourcesEveryMs(),
    tellResources: (frame) => client.tellResources(frame),
  };
}
