import type { ServedPlace } from '../link/crawl-router.ts';

/** Several parts may keep a crawl from being handed out; leases are granted while none of them does. */
export interface LeaseGate {
  /** False: it was closed for this reason already. */
  close(why: string): boolean;
  /** False: it was not closed for this reason. */
  open(why: string): boolean;
}

/** Closed at first, for the given reason. */
export function createLeaseGate(place: Pick<ServedPlace, 'start' | 'rest'>, first: string): LeaseGate {
  const closedFor = new Set([first]);
  return {
    close(why) {
      if (closedFor.has(why)) return false;
      closedFor.add(why);
      place.rest();
      return true;
    },
    open(why) {
      if (!closedFor.delete(why)) return false;
      if (closedFor.size === 0) place.start();
      return true;
    },
  };
}
