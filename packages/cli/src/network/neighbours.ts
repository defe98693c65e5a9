import {
  joinNetwork,
  type LinkServer,
  memberTtlMs,
  memoryMembership,
  type NetworkMember,
} from '@webfarer/coordinator';
import { type Clock, WebfarerError, type WorkerId } from '@webfarer/protocol';
import type { Peer } from '@webfarer/protocol/link';
import { isOver } from '@webfarer/protocol/crawl';
import type { Crew } from '../local/crew.ts';
import type { OpenCrewOptions } from '../local/open-crew.ts';
import { createWorkerDemand } from './worker-demand.ts';

export interface NeighboursOptions {
  id: string;
  url: string;
  capacity: number;
  clock: Clock;
  server: LinkServer;
  isPinned: (worker: WorkerId) => boolean;
  /** Coordinators came or went: the ids of those that are there. */
  changed: (ids: string[]) => void;
}

/** A coordinator as another one sees it. */
export interface PeerStatus {
  id: string;
  url: string;
  capacity: number;
  workers: number;
  hosts: number;
  crawl: string;
  /** How many workers its crawl has something to do for. */
  wants: number;
  leaving: boolean;
}

/** The coordinators of one store, as one of them sees the others; without a store it is alone. */
export interface Neighbours {
  /** The crew of a crawl that hands its workers over to the others when it is over, or goes. */
  crewed(parts: OpenCrewOptions, crew: Crew): Promise<Crew>;
  /** The others may send workers here. */
  start(): Promise<void>;
  peers(): Peer[];
  status(): PeerStatus[];
  /** Whether another coordinator of the same crawl has workers. */
  othersServe(): boolean;
  elsewhere: NetworkMember['elsewhere'];
  stillDry: NetworkMember['stillDry'];
  /** What is odd about the one that was to be joined. */
  warningsAbout(peer: string | undefined): string[];
  /** Takes no part any more. Until then it sends on workers that come although its crawl is over. */
  stop(): Promise<void>;
}

export function createNeighbours(options: NeighboursOptions): Neighbours {
  const { id, url, clock, server } = options;
  let network: NetworkMember | undefined;
  let close: () => Promise<void> = async () => undefined;

  async function join({ shared, failed, crawl, desk, reads }: OpenCrewOptions): Promise<NetworkMember> {
    const board = await shared?.openMembership();
    close = async () => await board?.close();
    return joinNetwork({
      ...options,
      crawl,
      wants: createWorkerDemand({
        clock,
        state: () => desk.state,
        hostsQueued: async () => (await reads.totals(crawl)).hostsQueued,
        hostsHeld: () => server.load().hosts,
      }),
      membership: board?.membership ?? memoryMembership({ ttlMs: memberTtlMs, clock }),
      upkeep: shared?.frontier,
      changed: (members) => options.changed(members.map((member) => member.id)),
      replaced: () => failed(replaced(id)),
      failed,
    });
  }

  return {
    async crewed(parts, crew) {
      const member = await join(parts);
      network = member;
      const dropped = new AbortController();
      return {
        ...crew,
        get pause() {
          return crew.pause;
        },
        drop() {
          dropped.abort();
          crew.drop();
        },
        async stop() {
          await member.retire({ over: isOver(parts.desk), signal: dropped.signal });
          await crew.stop();
        },
      };
    },
    async stop() {
      await network?.stop();
      await close();
    },
    start: async () => await network?.start(),
    peers: () => network?.peers() ?? [],
    status: () =>
      (network?.members() ?? []).map((member) => ({
        id: member.id,
        url: member.url,
        capacity: member.capacity,
        workers: member.workers,
        hosts: member.hosts,
        crawl: member.crawl,
        wants: member.wants,
        leaving: member.leaving ?? false,
      })),
    othersServe: () => {
      const members = network?.members() ?? [];
      const own = members.find((member) => member.id === id);
      return members.some((member) => member.id !== id && member.crawl === own?.crawl && member.workers > 0);
    },
    elsewhere: () => network?.elsewhere() ?? { dry: false, hosts: 0, workers: 0 },
    stillDry: (hosts) => network?.stillDry(hosts),
    warningsAbout(peer) {
      const members = network?.members() ?? [];
      if (peer === undefined || members.some((member) => sameAddress(member.url, peer))) return [];
      const others = members.filter((member) => member.url !== url).map((member) => member.url);
      const found = others.length === 0 ? 'there are no others' : `there are ${others.join(', ')}`;
      return [
        `${peer} is not among the coordinators of this store: ${found}. Was it started with the same --store?`,
      ];
    },
  };
}

const sameAddress = (one: string, other: string) => bare(one) === bare(other);
const bare = (url: string) => url.replace(/^\w+:\/\//, '').replace(/\/+$/, '');

function replaced(id: string): WebfarerError {
  return new WebfarerError('folder-busy', `another process is running as coordinator ${id}`, {
    next: 'Its --data folder is a copy of this one. Delete coordinator.json in one of them and start it again.',
  });
}
