import type { HostLease } from '@webfarer/protocol';
import type { HeldLease } from './held-lease.ts';

/**
 * URLs with which workers have ended before may end this one too, and all that is in hand then is charged with
 * them. So only a few are in hand at a time; and one that is given up with the next death is alone with it, so
 * that no other can be given up in its place.
 */
export interface Quarantine {
  /** Nothing else may be leased: somebody is, or wants to be, alone. */
  readonly closed: boolean;
  /** Resolves when the lease may be worked on, beside others or alone; no: its host must rest first. */
  admit(held: HeldLease, poisonAfter: number): Promise<'yes' | 'alone' | 'no'>;
  leave(held: HeldLease): void;
}

/** All leases of this worker, and the ends of its work on them. */
type Sessions = ReadonlyMap<HeldLease, Promise<void>>;

/** Others than those on their last chance that are in hand at the same time. */
const FEW = 8;

export function createQuarantine(sessions: Sessions, haltOthers: () => void): Quarantine {
  const few = new Set<HeldLease>();
  let alone: HeldLease | undefined;

  async function beAlone(held: HeldLease): Promise<void> {
    alone = held;
    // What came in the same answer has begun by then, or was refused: all of it must be over, and stored.
    await Promise.resolve();
    haltOthers();
    await Promise.all([...sessions].filter(([other]) => other !== held).map(([, ended]) => ended));
  }

  return {
    get closed() {
      return alone !== undefined;
    },
    async admit(held, poisonAfter) {
      const deaths = deathsOf(held.lease);
      if (deaths === 0) return 'yes';
      if (alone !== undefined) return 'no';
      if (deaths + 1 >= poisonAfter) {
        await beAlone(held);
        return 'alone';
      }
      if (few.size >= FEW) return 'no';
      few.add(held);
      return 'yes';
    },
    leave(held) {
      few.delete(held);
      if (alone === held) alone = undefined;
    },
  };
}

function deathsOf({ entries }: HostLease): number {
  return entries.reduce((most, { deaths = 0 }) => Math.max(most, deaths), 0);
}
