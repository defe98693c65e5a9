import type { HostKey } from '@webfarer/protocol';

/** Answers with 5xx in a row after which they are the host's trouble, not one page's. */
export const ERRORS_OF_HOST = 3;
const HOSTS_KEPT = 10_000;

/** How many server errors each host has returned in a row, over all of its connections. */
export interface ServerErrors {
  /** Answers how many in a row that makes. */
  add(host: HostKey): number;
  /** The host answered something else. */
  clear(host: HostKey): void;
}

export function createServerErrors(): ServerErrors {
  const inRow = new Map<HostKey, number>();
  return {
    add(host) {
      const count = (inRow.get(host) ?? 0) + 1;
      inRow.delete(host);
      inRow.set(host, count);
      const [oldest] = inRow.keys();
      if (inRow.size > HOSTS_KEPT && oldest !== undefined) inRow.delete(oldest);
      return count;
    },
    clear: (host) => void inRow.delete(host),
  };
}
