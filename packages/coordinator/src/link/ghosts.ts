import type { LeaseId, LeaseRef, WorkerId } from '@webfarer/protocol';

/**
 * What was granted to workers that are not connected now. A grant may be lost on its way: when its worker comes back
 * and does not know of it, nothing was done with it, and it need not run out by itself.
 */
export interface Ghosts {
  left(worker: WorkerId, session: string, held: ReadonlyMap<LeaseId, LeaseRef | undefined>): void;
  /** The leases that the same process of the worker was granted and does not know of. */
  back(worker: WorkerId, session: string, holds: readonly LeaseId[]): LeaseRef[];
}

interface Ghost {
  session: string;
  held: LeaseRef[];
}

export function createGhosts(mostWorkers: number): Ghosts {
  const ghosts = new Map<WorkerId, Ghost>();
  return {
    left(worker, session, held) {
      ghosts.delete(worker);
      const refs = [...held.values()].filter((ref) => ref !== undefined);
      if (refs.length === 0) return;
      ghosts.set(worker, { session, held: refs });
      for (const [oldest] of ghosts) {
        if (ghosts.size <= mostWorkers) break;
        ghosts.delete(oldest);
      }
    },
    back(worker, session, holds) {
      const ghost = ghosts.get(worker);
      ghosts.delete(worker);
      if (ghost?.session !== session) return [];
      const known = new Set(holds);
      return ghost.held.filter(({ id }) => !known.has(id));
    },
  };
}
