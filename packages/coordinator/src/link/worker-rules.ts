import type { WorkerId } from '@webfarer/protocol';

/** What operators decided about workers. Asked with every request for work, so it answers from memory. */
export interface WorkerRules {
  /** It keeps what it has and is given no new lease. */
  isCordoned(worker: WorkerId): boolean;
  /** It shall give back what it has and exit. */
  isDraining(worker: WorkerId): boolean;
  /** Why no worker may connect to this coordinator now; undefined: they may. */
  closed(): string | undefined;
}

/** Where no operator can decide anything. */
export const noRules: WorkerRules = {
  isCordoned: () => false,
  isDraining: () => false,
  closed: () => undefined,
};
