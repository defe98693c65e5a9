import { randomUUID } from 'node:crypto';

/**
 * The epoch of a store, as one process sees it. A connection ends with the server's process, so as long as nobody else
 * is met at the other end of a new one, and groups stay where they are, whatever the store has said still holds. A
 * server that is met for the first time, or again as another process or with another history of writes, may be a
 * restored backup, or a replica that lacks the last writes. Epochs of two processes are never equal.
 */
export interface StoreEpoch {
  readonly now: string;
  /** A connection to this address was opened. `run` names the server's process and its history of writes. */
  met(address: string, run: string): void;
  /** Groups were found at another address than before. */
  moved(): void;
}

export function createStoreEpoch(): StoreEpoch {
  const process = randomUUID();
  const runs = new Map<string, string>();
  let count = 0;
  return {
    get now() {
      return `${process}.${count}`;
    },
    met(address, run) {
      if (runs.get(address) === run) return;
      runs.set(address, run);
      count++;
    },
    moved() {
      count++;
    },
  };
}
