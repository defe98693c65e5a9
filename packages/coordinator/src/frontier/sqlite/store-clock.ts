import type { DatedClock } from '@webfarer/protocol';
import type { Database } from '../../sqlite/node-sqlite.ts';

export interface StoreClock {
  /** Milliseconds that never go back, not even when the machine's clock did between two runs. */
  now(): number;
  /** As the machine says now, for what is compared with dates of files. */
  wall(): number;
  /** The last time handed out, to be kept in the file with everything that was decided by it. */
  last(): number;
}

/** Carries on from the last time the file has seen. `path`-less stores simply follow the clock. */
export function storeClock(db: Database, clock: DatedClock): StoreClock {
  const row = db.prepare("SELECT value FROM meta WHERE key = 'time'").get() as { value: number } | undefined;
  let last = row?.value ?? 0;
  const offset = Math.max(0, last - clock.now());
  return {
    now() {
      last = Math.max(last, clock.now() + offset);
      return last;
    },
    wall: () => clock.wall(),
    last: () => last,
  };
}
