import type { Clock, WorkerId } from '@webfarer/protocol';
import type { Peer } from '@webfarer/protocol/link';
import { createRebalancer } from '../maintenance/rebalancer.ts';
import type { GroupUpkeep } from '../frontier/group-upkeep.ts';
import { createSweeper } from '../maintenance/sweeper.ts';
import { createWaterer } from '../maintenance/waterer.ts';
import type { Elsewhere } from '../link/lease-sharing.ts';
import type { LinkServer } from '../link/link-server.ts';
import type { CordonState } from './cordon-state.ts';
import { createMembers } from '../members/members.ts';
import type { Member, Membership } from '../members/membership.ts';
import { ownersOf } from '../members/rendezvous.ts';

export interface NetworkMemberOptions {
  id: string;
  /** Where workers reach this coordinator. */
  url: string;
  capacity: number;
  /** The crawls it serves, as one name: coordinators of the same ones share their demand. */
  crawl: () => string;
  /** How many workers these have something to do for. */
  wants: () => number;
  membership: Membership;
  clock: Clock;
  server: Pick<LinkServer, 'workers' | 'load' | 'tell' | 'tellAll' | 'water'>;
  /** The upkeep of a store that others look after too; undefined: the store has no other coordinators. */
  upkeep: GroupUpkeep | undefined;
  /** Workers that belong to this process. */
  isPinned: (worker: WorkerId) => boolean;
  /** Somebody came or went. */
  changed: (members: readonly Member[]) => void;
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
  /**
   * Takes no more part in the crawl, and hands its workers over to those that can use them: now, and whenever one comes
   * later. Resolves when they are gone, or it has waited long enough. `over`: the crawl is, here and everywhere.
   */
  retire(options: { over: boolean; signal?: AbortSignal }): Promise<void>;
  /** Takes part again: it has another crawl. */
  serve(): void;
  /** An operator decided that it takes no workers, gives away those it has, or takes part as usual. */
  cordon(state: CordonState): void;
  stop(): Promise<void>;
}

/** What others give back comes within this time. */
const NEWS_MS = 5_000;
const DRAIN_MS = 5_000;
const DRAIN_LOOK_MS = 50;
/** A worker that was told to switch has this long before it is told again. */
const SEND_AWAY_MS = 2_000;

export function joinNetwork(options: NetworkMemberOptions): NetworkMember {
  const { id, clock, server } = options;
  let { upkeep } = options;
  let begun = false;
  let cordoned: CordonState = 'active';
  /** Those of a cordoned coordinator stay where they are. */
  const isPinned = (worker: WorkerId) => cordoned === 'cordoned' || options.isPinned(worker);
  const rebalancer = createRebalancer({ id, clock, server, isPinned });
  const waterer = createWaterer({ id, crawl: options.crawl, clock });
  const sweeper = upkeep && createSweeper({ store: upkeep, clock, failed: options.failed });
  let rounds: Member['rounds'];
  let recounts = 0;
  let leaving = false;
  let over = false;
  let sentAwayAtMs = Number.NEGATIVE_INFINITY;
  let known = '';

  function self(): Omit<Member, 'life'> {
    const thirst = waterer.thirst();
    const pinned = server.load(isPinned).workers;
    return {
      id,
      url: options.url,
      capacity: options.capacity,
      crawl: options.crawl(),
      wants: wants(),
      ...server.load(),
      ...(pinned > 0 ? { pinned } : {}),
      ...(recounts > 0 ? { recounts } : {}),
      ...(isLeaving() ? { leaving: true } : {}),
      ...(cordoned === 'cordoned' ? { cordoned: true } : {}),
      ...(thirst > 0 ? { thirst } : {}),
      ...(rounds ? { rounds } : {}),
    };
  }

  const isLeaving = () => leaving || cordoned === 'draining';
  const wants = () => (isLeaving() ? 0 : options.wants());

  function seen(all: readonly Member[]): boolean {
    const now = all
      .map((member) => `${member.id} ${member.url} ${member.leaving ?? ''} ${member.cordoned ?? ''}`)
      .join('\n');
    if (now !== known) {
      known = now;
      server.tellAll({ type: 'peers', peers: peersOf(all) });
      lookAfterGroups(all);
      options.changed(all);
    }
    if (cordoned === 'draining') sendAway(all);
    const before = JSON.stringify(rounds);
    const step = rebalancer.look(all, wants());
    // What was just counted, done or asked for should be known to the others at once.
    if (JSON.stringify(step.rounds) !== before || step.recounts !== recounts) members.hurry();
    ({ rounds, recounts } = step);
    const { dry } = waterer.elsewhere(all);
    const wanted = dry ? waterer.wantedOf(all, server.load()) : 0;
    if (wanted > 0) server.water(wanted);
    return !step.settled || waterer.thirst() > 0 || dry;
  }

  /** The others may have nothing to do for them: here they are not wanted all the same. */
  function sendAway(all: readonly Member[]): void {
    const open = peersOf(all).filter((peer) => peer.id !== id);
    if (open.length === 0 || clock.now() < sentAwayAtMs + SEND_AWAY_MS) return;
    sentAwayAtMs = clock.now();
    const own = server.workers().filter(({ worker }) => !isPinned(worker));
    for (const [i, { worker }] of own.entries())
      server.tell(worker, { type: 'switch', to: open[i % open.length]?.url });
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
      if (over) return;
      await members.start();
      begun = true;
      // A crawl that was over when it was opened needs no upkeep.
      if (!over && !leaving) sweeper?.start();
    },
    async retire({ over: isOver, signal }) {
      leaving = true;
      members.hurry();
      const canUse = (member: Member) =>
        member.id !== id &&
        !member.leaving &&
        member.wants > 0 &&
        !(isOver && member.crawl === options.crawl());
      const hasWorkers = () => server.load((worker) => !isPinned(worker)).workers > 0;
      const untilMs = clock.now() + DRAIN_MS;
      while (members.all.some(canUse) && hasWorkers() && clock.now() < untilMs && !signal?.aborted)
        await clock.sleep(DRAIN_LOOK_MS, signal).catch(() => undefined);
      await sweeper?.stop();
      upkeep = undefined;
    },
    serve() {
      if (!leaving || over) return;
      leaving = false;
      ({ upkeep } = options);
      known = '';
      members.hurry();
      if (begun) sweeper?.start();
    },
    cordon(state) {
      if (state === cordoned) return;
      cordoned = state;
      known = '';
      members.hurry();
    },
    async stop() {
      over = true;
      await sweeper?.stop();
      await members.stop();
    },
  };
}

function peersOf(all: readonly Member[]): Peer[] {
  return all.filter(({ leaving, cordoned }) => !leaving && !cordoned).map(({ id, url }) => ({ id, url }));
}
