import {
  joinNetwork,
  type LinkServer,
  memberTtlMs,
  memoryMembership,
  type NetworkMember,
} from '@webfarer/coordinator';
import { type Clock, type Peer, WebfarerError, type WorkerId } from '@webfarer/protocol';
import type { Crew } from '../local/crew.ts';
import type { OpenCrewOptions } from '../local/open-crew.ts';

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
  leaving: boolean;
}

/** The coordinators of one store, as one of them sees the others; without a store it is alone. */
export interface Neighbours {
  /** The crew of a crawl that hands its workers over to the others before it goes. */
  crewed(parts: OpenCrewOptions, crew: Crew): Crew;
  /** The others may send workers here. */
  start(): Promise<void>;
  peers(): Peer[];
  status(): PeerStatus[];
  elsewhere: NetworkMember['elsewhere'];
  stillDry: NetworkMember['stillDry'];
  /** What is odd about the one that was to be joined. */
  warningsAbout(peer: string | undefined): string[];
}

export function createNeighbours(options: NeighboursOptions): Neighbours {
  const { id, url, clock } = options;
  let network: NetworkMember | undefined;

  function join({ shared, failed }: OpenCrewOptions): NetworkMember {
    return joinNetwork({
      ...options,
      membership: shared?.membership ?? memoryMembership({ ttlMs: memberTtlMs, clock }),
      ...(shared ? { upkeep: shared.frontier } : {}),
      changed: (members) => options.changed(members.map((member) => member.id)),
      replaced: () => failed(replaced(id)),
      failed,
    });
  }

  return {
    crewed(parts, crew) {
      const member = join(parts);
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
          // Of a crawl that is over there is nothing to hand over.
          if (parts.desk.state === 'running' || parts.desk.state === 'paused')
            await member.drain(dropped.signal);
          await crew.stop();
          await member.stop();
        },
      };
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
        leaving: member.leaving ?? false,
      })),
    elsewhere: () => network?.elsewhere() ?? { dry: false, hosts: 0, workers: 0 },
    stillDry: (hosts) => network?.stillDry(hosts),
    warningsAbout(peer) {
      const members = network?.members() ?? [];
      if (peer === undefined || members.some((member) => sameAddress(member.url, peer))) return [];
      const others = members.filter((member) => member.url !== url).map((member) => member.url);
      const found = others.length === 0 ? 'there is no other one' : `there are ${others.join(', ')}`;
      return [
        `${peer} is not among the coordinators of this store: ${found}. Was it started with the same --store?`,
      ];
    },
  };
}

const sameAddress = (one: string, other: string) => bare(one) === bare(other);
const bare = (url: string) => url.replace(/^\w+:\/\//, '').replace(/\/+$/, '');

function replaced(id: string): WebfarerError {
  return new WebfarerError('folder-busy', `another process takes part as coordinator ${id}`, {
    next: 'Its --data folder is a copy of this one. Delete coordinator.json in one of them and start it again.',
  });
}
