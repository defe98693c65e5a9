import type { Clock } from '@webfarer/protocol';
import type { Member } from '../members/membership.ts';
import type { Elsewhere } from '../link/lease-sharing.ts';

/** Workers of a coordinator, and hosts they hold. */
type Load = Pick<Member, 'workers' | 'hosts'>;

/**
 * **dry** and **water** between coordinators. One whose workers are dry, while none of its own hold more than they
 * should, says so to the others with a note that runs out by itself. Those whose workers hold more than an even share
 * of all hosts have them give some back; they go to the queue, and from there to whoever asks.
 */
export interface Waterer {
  /**
   * Workers here could take so many hosts more, and there is nobody here to ask for them. Whoever has most of its even
   * share is not dry: hosts come and go all the time. Answers whether it is.
   */
  stillDry(members: readonly Member[], own: Load, hosts: number): boolean;
  /** What to tell the others. */
  thirst(): number;
  elsewhere(members: readonly Member[]): Elsewhere;
  /** How many hosts the own workers are to give back now for those elsewhere. */
  wantedOf(members: readonly Member[], own: Load): number;
}

/** Of an even share: who has less looks to the others for more. */
const MOST = 0.75;
/** Whoever is still dry says so again within this time. */
const NOTE_MS = 2_500;
/** What was asked for is on its way back: requests in flight are finished first. */
const PATIENCE_MS = 2_000;

export interface WatererOptions {
  id: string;
  /** Hosts that workers hold for other crawls are of no use to this one. */
  crawl: () => string;
  clock: Clock;
}

export function createWaterer({ id, crawl, clock }: WatererOptions): Waterer {
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let note = { hosts: 0, untilMs: Number.NEGATIVE_INFINITY };
  const thirst = () => (clock.now() < note.untilMs ? note.hosts : 0);
  const othersOf = (members: readonly Member[]) =>
    members.filter((member) => member.id !== id && member.crawl === crawl());

  return {
    thirst,
    stillDry(members, own, hosts) {
      const share = Math.floor(own.workers * evenOf([...othersOf(members), own]));
      if (own.hosts >= share * MOST) return false;
      // Several workers may be dry at once.
      note = { hosts: Math.min(share - own.hosts, hosts + thirst()), untilMs: clock.now() + NOTE_MS };
      return true;
    },
    elsewhere(members) {
      const others = othersOf(members);
      return {
        dry: others.some((member) => (member.thirst ?? 0) > 0),
        hosts: sum(others, ({ hosts }) => hosts),
        workers: sum(others, ({ workers }) => workers),
      };
    },
    wantedOf(members, own) {
      const wanted = clock.now() < askedAtMs + PATIENCE_MS ? 0 : shareOfThirst(othersOf(members), own);
      if (wanted > 0) askedAtMs = clock.now();
      return wanted;
    },
  };
}

/** Nobody gives more than what it has above an even share, and together they give what is wanted. */
function shareOfThirst(others: readonly Member[], own: Load): number {
  const thirst = sum(others, (member) => member.thirst ?? 0);
  if (thirst === 0) return 0;
  const even = evenOf([...others, own]);
  const above = ({ hosts, workers }: Load) => Math.max(0, Math.floor(hosts - workers * even));
  const surplus = above(own);
  return surplus === 0 ? 0 : Math.min(surplus, Math.ceil((thirst * surplus) / sum([...others, own], above)));
}

/** Hosts for each worker. */
function evenOf(all: readonly Load[]): number {
  return (
    sum(all, ({ hosts }) => hosts) /
    Math.max(
      1,
      sum(all, ({ workers }) => workers),
    )
  );
}

function sum<T>(list: readonly T[], of: (each: T) => number): number {
  return list.reduce((total, each) => total + of(each), 0);
}
