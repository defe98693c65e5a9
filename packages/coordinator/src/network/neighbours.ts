import { createHash } from 'node:crypto';
import { type Clock, type CrawlState, WebfarerError } from '@webfarer/protocol';
import type { Peer } from '@webfarer/protocol/link';
import type { LinkServer } from '../link/link-server.ts';
import type { WorkerPool } from '../link/worker-pool.ts';
import type { JoinedStore } from '../store/join-store.ts';
import { memberTtlMs } from '../members/members.ts';
import { memoryMembership } from '../members/memory-membership.ts';
import { joinNetwork, type NetworkMember } from './network-member.ts';
import { createWorkerDemand } from './worker-demand.ts';

export interface NeighboursOptions {
  id: string;
  url: string;
  capacity: number;
  clock: Clock;
  pool: WorkerPool;
  server: Pick<LinkServer, 'tell' | 'tellAll' | 'water'>;
  /** The store whose coordinators they are; without one it is alone. */
  joined: JoinedStore | undefined;
  crawls: () => ServedByMember[];
  /** Coordinators came or went: the ids of those that are there. */
  changed: (ids: string[]) => void;
  failed: (error: unknown) => void;
}

/** A crawl as its coordinator counts the workers that it needs. */
export interface ServedByMember {
  id: string;
  state: CrawlState;
  hostsQueued: () => Promise<number>;
}

/** A coordinator as another one sees it. */
export interface PeerStatus {
  id: string;
  url: string;
  capacity: number;
  workers: number;
  hosts: number;
  crawl: string;
  /** How many workers its crawls have something to do for. */
  wants: number;
  leaving: boolean;
  cordoned: boolean;
}

/** The coordinators of one store, as one of them sees the others. */
export interface Neighbours {
  /** The others may send workers here. */
  start(): Promise<void>;
  peers(): Peer[];
  status(): PeerStatus[];
  /** Whether metrics of the whole store are its to report: it is the first of all that are present, by their ids. */
  reportsStore(): boolean;
  /** The same for its crawls, among those that serve the same ones. */
  reportsCrawls(): boolean;
  /** Whether another coordinator of the same crawls has workers. */
  othersServe(): boolean;
  elsewhere: NetworkMember['elsewhere'];
  stillDry: NetworkMember['stillDry'];
  /** Hands its workers over to the others: its last crawl ends. */
  retire: NetworkMember['retire'];
  /** It has a crawl again. */
  serve(): void;
  cordon: NetworkMember['cordon'];
  /** What is odd about the one that was to be joined. */
  warningsAbout(peer: string | undefined): string[];
  /** Takes no part any more. Until then it sends on workers that come although its crawls are over. */
  stop(): Promise<void>;
}

export function createNeighbours(options: NeighboursOptions): Neighbours {
  const { id, url, clock, pool, server, joined } = options;
  let served = '';

  /** Crawls that are over stay what it was known by: workers elsewhere are not held up by them. */
  function servedNow(): string {
    const open = options.crawls().filter(({ state }) => state === 'running' || state === 'paused');
    if (open.length > 0) served = nameOf(open.map((crawl) => crawl.id));
    return served;
  }

  const running = () => options.crawls().filter(({ state }) => state === 'running');
  const network = joinNetwork({
    id,
    url,
    capacity: options.capacity,
    clock,
    crawl: servedNow,
    wants: createWorkerDemand({
      clock,
      state: () => (running().length > 0 ? 'running' : 'stopped'),
      async hostsQueued() {
        const all = await Promise.all(running().map((crawl) => crawl.hostsQueued()));
        return all.reduce((sum, hosts) => sum + hosts, 0);
      },
      hostsHeld: () => pool.load().hosts,
    }),
    membership: joined?.membership ?? memoryMembership({ ttlMs: memberTtlMs, clock }),
    server: {
      workers: () => pool.all(),
      load: (counts) => pool.load(counts),
      tell: (worker, order) => server.tell(worker, order),
      tellAll: (order) => server.tellAll(order),
      water: (hosts) => server.water(hosts),
    },
    upkeep: joined?.frontier,
    isPinned: (worker) => pool.isInside(worker),
    changed: (members) => options.changed(members.map((member) => member.id)),
    replaced: () => options.failed(replaced(id)),
    failed: options.failed,
  });

  return {
    start: () => network.start(),
    stop: () => network.stop(),
    retire: (how) => network.retire(how),
    serve: () => network.serve(),
    cordon: (state) => network.cordon(state),
    peers: () => network.peers(),
    status: () =>
      network.members().map((member) => ({
        id: member.id,
        url: member.url,
        capacity: member.capacity,
        workers: member.workers,
        hosts: member.hosts,
        crawl: member.crawl,
        wants: member.wants,
        leaving: member.leaving ?? false,
        cordoned: member.cordoned ?? false,
      })),
    reportsStore: () => !network.members().some((member) => member.id < id),
    reportsCrawls: () => !network.members().some((member) => member.id < id && member.crawl === servedNow()),
    othersServe: () =>
      network
        .members()
        .some((member) => member.id !== id && member.crawl === servedNow() && member.workers > 0),
    elsewhere: () => network.elsewhere(),
    stillDry: (hosts) => network.stillDry(hosts),
    warningsAbout(peer) {
      const members = network.members();
      if (peer === undefined || members.some((member) => sameAddress(member.url, peer))) return [];
      const others = members.filter((member) => member.url !== url).map((member) => member.url);
      const found = others.length === 0 ? 'there are no others' : `there are ${others.join(', ')}`;
      return [
        `${peer} is not among the coordinators of this store: ${found}. Was it started with the same --store?`,
      ];
    },
  };
}

/** One crawl has its own name, several a short one that is the same wherever the same crawls are served. */
function nameOf(ids: string[]): string {
  const [first = '', ...more] = ids.toSorted();
  if (more.length === 0) return first;
  return createHash('sha256')
    .update([first, ...more].join('\n'))
    .digest('base64url')
    .slice(0, 22);
}

const sameAddress = (one: string, other: string) => bare(one) === bare(other);
const bare = (url: string) => url.replace(/^\w+:\/\//, '').replace(/\/+$/, '');

function replaced(id: string): WebfarerError {
  return new WebfarerError('folder-busy', `another process is running as coordinator ${id}`, {
    next: 'Its --data folder is a copy of this one. Delete coordinator.json in one of them and start it again.',
  });
}
