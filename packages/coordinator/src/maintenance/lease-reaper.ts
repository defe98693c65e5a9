import type { Clock } from '@webfarer/protocol';
import type { Frontier } from '../frontier/frontier.ts';
import { createDuty, type Duty } from './duty.ts';

export interface LeaseReaperOptions {
  frontier: Pick<Frontier, 'sweep'>;
  clock: Clock;
  /** Pause between two steps while there is little to do. */
  idleMs: number;
  /** Runs after each step. */
  afterStep: () => Promise<void>;
  failed: (error: unknown) => void;
}

/**
 * Expires leases and settles dead hosts and spent budgets, a bounded step at a time, in the groups that this
 * coordinator looks after. Steps follow each other at once while there is more to do.
 */
export function createLeaseReaper({ frontier, clock, idleMs, afterStep, failed }: LeaseReaperOptions): Duty {
  return createDuty({
    clock,
    failed,
    afterTroubleMs: idleMs,
    async step() {
      const { more } = await frontier.sweep();
      await afterStep();
      return more ? 0 : idleMs;
    },
  });
}
