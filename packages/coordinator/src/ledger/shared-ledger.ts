import type { HostLedger } from './host-ledger.ts';
import { machineClock } from './machine-clock.ts';
import { processLiveness } from './process-liveness.ts';
import { openHostLedger } from './sqlite-ledger.ts';

/** The ledger of all crawls that name this file, or why a crawl has to do without it. */
export type SharedLedger = { ledger: HostLedger } | { warning: string };

/**
 * A folder that cannot be written is no reason not to crawl: each crawl keeps its own gaps, and says what it cannot
 * do. `diesWithProcess`: nobody contacts hosts for these crawls once this process has ended; workers elsewhere would.
 */
export function openSharedLedger(path: string, { diesWithProcess = true } = {}): SharedLedger {
  try {
    const liveness = diesWithProcess ? { liveness: processLiveness() } : {};
    return { ledger: openHostLedger({ path, clock: machineClock(), ...liveness }) };
  } catch (error) {
    return {
      warning: `This crawl takes no turns with other crawls on this machine: ${(error as Error).message}. Set WEBFARER_STATE to a folder that can be written.`,
    };
  }
}
