import type { HostLedger } from './host-ledger.ts';
import { machineClock } from './machine-clock.ts';
import { openHostLedger } from './sqlite-ledger.ts';

/** A ledger that is opened when it is first needed: its file is made then. */
export interface LedgerAt {
  open(): HostLedger;
  close(): void;
}

export function ledgerAt(path: string): LedgerAt {
  let opened: HostLedger | undefined;
  return {
    open: () => (opened ??= openHostLedger({ path, clock: machineClock() })),
    close: () => opened?.close(),
  };
}
