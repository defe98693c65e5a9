import { join } from 'node:path';
import type { Clock, CoordinatorLink, WebfarerError, WorkerId, WorkerLook } from '@webfarer/protocol';
import type { LinkCrawl, Orders } from '@webfarer/protocol/link';
import type { Hooks } from './crawls/crawl-context.ts';
import { createLinkClient, type LinkState } from './link/link-client.ts';
import { createSpool, type Spool } from './link/spool.ts';

/** How a worker is linked to its coordinator. */
export type LinkChoice =
  /** Both are in one process. Only here can the user's own functions be called. */
  | { kind: 'in-process'; connect: ConnectWorker; hooks?: (crawl: LinkCrawl) => Hooks }
  /** Over WebSocket, with any of these coordinators and those learnt from them. */
  | { kind: 'network'; urls: readonly string[]; token: string };

/** Joins a worker to a coordinator in the same process, which tells it of its crawls before it returns. */
export type ConnectWorker = (worker: InProcessWorker) => InProcessLink;

/** A worker as a coordinator in the same process sees it. */
export interface InProcessWorker {
  readonly id: WorkerId;
  /** Hosts it works on at the same time. */
  readonly connections: number;
  readonly orders: Orders;
  look(): WorkerLook;
  /** Resolves when nothing of the crawl is in flight, and all of it is reported, durable and closed. */
  closeCrawl(crawl: LinkCrawl['id']): Promise<void>;
}

export interface InProcessLink {
  readonly link: CoordinatorLink;
  /** The worker is gone and has given back everything. */
  leave(): void;
}

/** A worker's way to its coordinator, whichever it is. */
export interface WorkerLink {
  readonly link: CoordinatorLink;
  /** Where captures wait that a coordinator elsewhere wants. */
  readonly spool: Spool | undefined;
  /** Resolves when the coordinator is there; rejects when it refuses this worker. */
  start(): Promise<void>;
  /** Says goodbye. */
  stop(): Promise<void>;
  state(): LinkState;
  /** No other coordinator is known that could have work. */
  alone(): boolean;
  tellLook(look: WorkerLook): void;
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
  worker: Pick<InProcessWorker, 'look' | 'closeCrawl'>;
  changed: (state: LinkState) => void;
  refused: (error: WebfarerError) => void;
}

export function openWorkerLink(options: WorkerLinkOptions): WorkerLink {
  const { choice } = options;
  return choice.kind === 'in-process' ? inProcess(choice.connect, options) : overNetwork(choice, options);
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
    tellLook: () => undefined,
  };
}

function overNetwork(
  { urls, token }: Extract<LinkChoice, { kind: 'network' }>,
  options: WorkerLinkOptions,
): WorkerLink {
  const { id, version, folder, connections, clock, random, orders, changed, refused } = options;
  const spool = createSpool(folder);
  const client = createLinkClient({
    urls,
    token,
    worker: id,
    version,
    connections,
    fresh: true,
    clock,
    random,
    spool,
    outboxFile: join(folder, 'outbox.jsonl'),
    orders,
    changed,
    refused,
  });
  return {
    link: client.link,
    spool,
    start: () => client.start(),
    async stop() {
      await client.stop();
      await spool.close();
    },
    state: () => client.state(),
    alone() {
      const { coordinator } = client.state();
      return client.peers().every(({ id: peer }) => peer === coordinator);
    },
    tellLook: (look) => client.tellLook(look),
  };
}
