import type { Clock, Peer, WorkerId } from '@webfarer/protocol';
import { createRebalancer } from '../maintenance/rebalancer.ts';
import { createSweeper, type SharedUpkeep } from '../maintenance/sweeper.ts';
import { createWaterer } from '../maintenance/waterer.ts';
import type { Elsewhere } from '../network/seats.ts';
import type { LinkServer } from '../network/link-server.ts';
import { createMembers } from './members.ts';
import type { Member, Membership } from './membership.ts';
import { ownersOf } from './rendezvous.ts';

export interface NetworkMemberOptions {
  id: string;
  /** Where workers reach this coordinator. */
  url: string;
  capacity: number;
  membership: Membership;
  clock: Clock;
  server: Pick<LinkServer, 'workers' | 'load' | 'tell' | 'tellAll' | 'water'>;
  /** The upkeep of a store that others look after too. */
  upkeep?: SharedUpkeep & {
    groups: number;
    lookAfter(groups?: ReadonlySet<number>): void;
    expectNews(forMs: number): void;
  };
  /** Workers that belong to this process. */
  isPinned?: (worker: WorkerId) => boolean;
  /** Somebody came or went. */
  changed?: (members: readonly Member[]) => void;
  /** Another process uses the same id: this one takes no part any more. */
  replaced: () => void;
  failed: (error: unknown) => void;
}

/** A coordinator among the others of its store: who they are, who has which workers, who looks after what. */
export interface NetworkMember {
  /** Resolves when the others can see it. */
  start(): Promise<void>;
  members(): readonly Member[];
  /** All coordinators that take workers, itself among them. */
  peers(): Peer[];
  elsewhere(): Elsewhere;
  /** Own workers could take so many hosts more, and nobody here has too many. */
  stillDry(hosts: number): void;
  /** Hands its workers over to the others; resolves when they are gone, or it has waited long enough. */
  drain(signal?: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

/** What others give back comes within this time. */
const NEWS_MS = 5_000;
const DRAIN_MS = 5_000;
const DRAIN_LOOK_MS = 50;

export function joinNetwork(options: NetworkMemberOptions): NetworkMember {
  const { id, clock, server, upkeep } = options;
  const isPinned = options.isPinned ?? (() => false);
  const rebalancer = createRebalancer({ id, clock, server, isPinned });
  const waterer = createWaterer({ id, clock });
  const sweeper = upkeep && createSweeper({ store: upkeep, clock, failed: options.failed });
  let rounds: Member['rounds'];
  let leaving = false;
  let over = false;
  let known = '';

  function self(): Omit<Member, 'life'> {
    const thirst = waterer.thirst();
    return {
      id,
      url: options.url,
      capacity: options.capacity,
      ...server.load(),
      ...(leaving ? { leaving } : {}),
      ...(thirst > 0 ? { thirst } : {}),
      ...(rounds ? { rounds } : {}),
    };
  }

  function seen(all: readonly Member[]): boolean {
    const now = all.map((member) => `${member.id} ${member.url} ${member.leaving ?? ''}`).join('\n');
    if (now !== known) {
      known = now;
      server.tellAll({ type: 'peers', peers: peersOf(all) });
      lookAfterGroups(all);
      options.changed?.(all);
    }
    const before = JSON.stringify(rounds);
    const step = rebalancer.look(all);
    rounds = step.rounds;
    // What was just counted or done should be known to the others at once.
    if (JSON.stringify(rounds) !== before) members.hurry();
    const { dry } = waterer.elsewhere(all);
    const wanted = dry ? waterer.wantedOf(all, server.load()) : 0;
    if (wanted > 0) server.water(wanted);
    return !step.settled || waterer.thirst() > 0 || dry;
  }

  function lookAfterGroups(all: readonly Member[]): void {
    if (!upkeep) return;
    const owners = all.filter((member) => !member.leaving);
    const mine = ownersOf(owners, upkeep.groups).flatMap((owner, group) => (owner === id ? [group] : []));
    upkeep.lookAfter(owners.length > 1 ? new Set(mine) : undefined);
  }

  const members = createMembers({ ...options, self, seen });

  return {
    members: () => members.all,
    peers: () => peersOf(members.all),
    elsewhere: () => waterer.elsewhere(members.all),
    stillDry(hosts) {
      // Alone there is nobody to ask.
      if (members.all.length < 2 || !waterer.stillDry(members.all, server.load(), hosts)) return;
      members.hurry();
      upkeep?.expectNews(NEWS_MS);
    },
    async start() {
      // A crawl that was over when it was opened has ended before anybody was to be told of it.
      if (over) return;
      await members.start();
      if (!over) sweeper?.start();
    },
    async drain(signal) {
      leaving = true;
      members.hurry();
      const others = () => members.all.some((member) => member.id !== id && !member.leaving);
      const hasWorkers = () => server.load((worker) => !isPinned(worker)).workers > 0;
      const untilMs = clock.now() + DRAIN_MS;
      while (others() && hasWorkers() && clock.now() < untilMs && !signal?.aborted)
        await clock.sleep(DRAIN_LOOK_MS, signal).catch(() => undefined);
    },
    async stop() {
      over = true;
      await sweeper?.stop();
      await members.stop();
    },
  };
}

function peersOf(all: readonly Member[]): Peer[] {
  return all.filter(({ leaving }) => !leaving).map(({ id, url }) => ({ id, url }));
}
