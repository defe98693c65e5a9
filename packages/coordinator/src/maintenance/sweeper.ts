import type { Clock } from '@webfarer/protocol';
import { createDuty, type Duty } from './duty.ts';
import type { GroupUpkeep } from '../frontier/group-upkeep.ts';

const EVERY_MS = 30_000;
/** The rest follows next time: it is the safety net, and others have to look after their groups meanwhile. */
const STEPS_AT_MOST = 20;

/**
 * The safety net below those who look after their groups: one coordinator, whoever comes first, goes over the whole
 * store. What everybody left to somebody else is found there.
 */
export function createSweeper({
  store,
  clock,
  failed,
  everyMs = EVERY_MS,
}: {
  store: Pick<GroupUpkeep, 'sweepWhole' | 'claim'>;
  clock: Clock;
  failed: (error: unknown) => void;
  everyMs?: number;
}): Duty {
  return createDuty({
    clock,
    failed,
    afterTroubleMs: everyMs,
    async step() {
      // A little less, so that whoever did it last time finds it free.
      if (!(await store.claim('sweep', Math.floor(everyMs * 0.9)))) return everyMs;
      for (let steps = 0; steps < STEPS_AT_MOST; steps++) if (!(await store.sweepWhole()).more) break;
      return everyMs;
    },
  });
}
