import type { Clock } from '@webfarer/protocol';
import type { Member } from '../members/membership.ts';

/** What is held elsewhere, and whether anybody there has too little. */
export interface Elsewhere {
  dry: boolean;
  hosts: number;
  workers: number;
}

/**
 * **dry** and **water** between coordinators. One whose workers are dry, while none of its own hold more than they
 * should, says so to the others with a note that runs out by itself. Those whose workers hold more than an even share
 * of all hosts have them give some back; they go to the queue, and from there to whoever asks.
 */
export interface Waterer {
  /** Workers here could take so many hosts more, and there is nobody here to ask for them. */
  stillDry(hosts: number): void;
  /** What to tell the others. */
  thirst(): number;
  elsewhere(members: readonly Member[]): Elsewhere;
  /** How many hosts the own workers are to give back for those elsewhere. */
  wantedOf(members: readonly Member[], own: { workers: number; hosts: number }): number;
}

/** Whoever is still dry says so again within this time. */
const NOTE_MS = 2_500;

export function createWaterer({ id, clock }: { id: string; clock: Clock }): Waterer {
  let note = { hosts: 0, untilMs: Number.NEGATIVE_INFINITY };
  const thirst = () => (clock.now() < note.untilMs ? note.hosts : 0);
  const othersOf = (members: readonly Member[]) => members.filter((member) => member.id !== id);

  return {
    thirst,
    stillDry(hosts) {
      // Several workers may be dry at once.
      note = { hosts: Math.max(hosts, thirst()), untilMs: clock.now() + NOTE_MS };
    },
    elsewhere(members) {
      const others = othersOf(members);
      return {
        dry: others.some((member) => (member.thirst ?? 0) > 0),
        hosts: sum(others, ({ hosts }) => hosts),
        workers: sum(others, ({ workers }) => workers),
      };
    },
    wantedOf: (members, own) => shareOfThirst(othersOf(members), own),
  };
}

/** Nobody gives more than what it has above an even share, and together they give what is wanted. */
function shareOfThirst(others: readonly Member[], own: { workers: number; hosts: number }): number {
  const thirst = sum(others, (member) => member.thirst ?? 0);
  if (thirst === 0) return 0;
  const all = [...others, own];
  const even =
    sum(all, ({ hosts }) => hosts) /
    Math.max(
      1,
      sum(all, ({ workers }) => workers),
    );
  const above = ({ hosts, workers }: { workers: number; hosts: number }) =>
    Math.max(0, Math.floor(hosts - workers * even));
  const surplus = above(own);
  return surplus === 0 ? 0 : Math.min(surplus, Math.ceil((thirst * surplus) / sum(all, above)));
}

function sum<T>(list: readonly T[], of: (each: T) => number): number {
  return list.reduce((total, each) => total + of(each), 0);
}
