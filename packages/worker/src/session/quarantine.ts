import type { Clock, CrawlId, HostLease } from '@webfarer/protocol';
import type { CrawlGates } from '../disk/crawl-gates.ts';
import type { HeldLease } from './held-lease.ts';

/**
 * URLs with which workers have ended before may end this one too, and all that is in hand then is charged with
 * them. So only a few are in hand at a time; and one that is given up with the next death is alone with it, so
 * that no other can be given up in its place.
 */
export interface Quarantine {
  /** Nothing else may be leased: a lease is, or wants to be, alone. */
  readonly closed: boolean;
  /** The crawl of that lease: what it fetched must be saved soon, because all others wait for it. */
  readonly aloneIn: CrawlId | undefined;
  /** Resolves when the lease may be worked on, beside others or alone; no: its host must rest first. */
  admit(held: HeldLease, poisonAfter: number): Promise<'yes' | 'alone' | 'no'>;
  leave(held: HeldLease): void;
}

/** All leases of this worker, and the ends of its work on them. */
type Sessions = ReadonlyMap<HeldLease, Promise<void>>;

/** How often it is looked whether those that a lease waits for are stuck. */
const LOOK_MS = 250;
/** Others than those on their last chance that are in hand at the same time. */
const FEW = 8;

export interface QuarantineOptions {
  clock: Pick<Clock, 'sleep'>;
  sessions: Sessions;
  /** Whatever is under way comes to its end. */
  halt: () => void;
  /** While what was fetched of some crawl cannot be saved, its leases do not end soon, and nothing can wait for that. */
  gates: () => Pick<CrawlGates, 'isStuck' | 'isSilent'>;
}

export function createQuarantine(options: QuarantineOptions): Quarantine {
  const { clock, sessions, halt, gates } = options;
  const few = new Set<HeldLease>();
  let alone: HeldLease | undefined;
  const isClosed = () => alone !== undefined && !gates().isSilent(alone.ref.crawl);

  /** False: it would have to wait for others that are stuck, and everything else with it. */
  async function beAlone(held: HeldLease): Promise<boolean> {
    alone = held;
    // What came in the same answer has begun by then, or was refused: all of it must be over, and stored.
    await Promise.resolve();
    halt();
    let areOver = false;
    const over = Promise.all(
      [...sessions].filter(([other]) => other !== held).map(([, ended]) => ended),
    ).then(() => (areOver = true));
    while (!areOver && !gates().isStuck()) await Promise.race([over, clock.sleep(LOOK_MS)]);
    if (!areOver) alone = undefined;
    return areOver;
  }

  return {
    get closed() {
      return isClosed();
    },
    get aloneIn() {
      return alone?.ref.crawl;
    },
    async admit(held, poisonAfter) {
      const deaths = deathsOf(held.lease);
      if (deaths === 0) return 'yes';
      if (isClosed()) return 'no';
      if (deaths + 1 >= poisonAfter) {
        if (gates().isStuck()) return 'no';
        return (await beAlone(held)) ? 'alone' : 'no';
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
