import type { Clock, LeaseAnswer } from '@webfarer/protocol';

/**
 * A worker with free hands looks for work every moment. Over a network it need not: the coordinator tells when there
 * may be more. So once nothing was due, questions are answered here until it tells, until the time it named, or until
 * a look after a while, which becomes longer as long as there is nothing.
 */
export interface DryGate {
  /** How long there is no use in asking; 0: ask. */
  quietMs(): number;
  /** Takes note of an answer; says for how many hosts it is time to tell that we are dry, 0: not now. */
  answered(wanted: number, answer: LeaseAnswer): number;
  /** There may be something. */
  open(): void;
}

const FIRST_LOOK_MS = 1_000;
const LONGEST_LOOK_MS = 30_000;
/** Giving back takes others a moment: more often there is no use in saying that we are dry. */
const DRY_EVERY_MS = 1_000;

export function createDryGate(clock: Clock): DryGate {
  let lookMs = FIRST_LOOK_MS;
  let quietUntilMs = Number.NEGATIVE_INFINITY;
  let toldAtMs = Number.NEGATIVE_INFINITY;
  return {
    quietMs: () => Math.max(0, quietUntilMs - clock.now()),
    open() {
      quietUntilMs = Number.NEGATIVE_INFINITY;
    },
    answered(wanted, { leases, nextDueMs }) {
      const now = clock.now();
      if (leases.length > 0) lookMs = FIRST_LOOK_MS;
      else {
        quietUntilMs = now + Math.min(lookMs, nextDueMs ?? lookMs);
        if (nextDueMs === null || nextDueMs > lookMs) lookMs = Math.min(LONGEST_LOOK_MS, lookMs * 2);
      }
      const missing = wanted - leases.length;
      if (missing <= 0 || now < toldAtMs + DRY_EVERY_MS) return 0;
      toldAtMs = now;
      return missing;
    },
  };
}
