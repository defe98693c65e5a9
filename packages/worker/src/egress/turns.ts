import { isGloballyReachable, parseAddress } from './address.ts';

/**
 * Requests in flight on each remote address. Politeness is owed to hosts by name, and thousands of names may belong to
 * one server: without this, it would get as many requests at once as it has names.
 */
export interface AddressTurns {
  /** Takes a turn on an address, or a place in its queue while `most` or more turns are taken. */
  take(address: string, most: number): Turn;
}

export interface Turn {
  /** Undefined when the turn was free at once; otherwise resolves when it comes. */
  readonly comes: Promise<void> | undefined;
  /** Gives the turn, or the place in the queue, back. May be called again. */
  end(): void;
}

interface Waiting {
  most: number;
  begin: () => void;
}

interface Line {
  taken: number;
  /** First come, first served. */
  queue: Set<Waiting>;
}

export function createAddressTurns(): AddressTurns {
  const lines = new Map<string, Line>();

  function admit(address: string, line: Line): void {
    for (const next of line.queue) {
      if (line.taken >= next.most) break;
      line.queue.delete(next);
      line.taken += 1;
      next.begin();
    }
    if (line.taken === 0 && line.queue.size === 0) lines.delete(address);
  }

  return {
    take(address, most) {
      const line = lines.get(address) ?? { taken: 0, queue: new Set() };
      lines.set(address, line);
      const { promise, resolve } = Promise.withResolvers<void>();
      const waiting: Waiting = { most, begin: resolve };
      line.queue.add(waiting);
      admit(address, line);
      const free = !line.queue.has(waiting);
      let over = false;
      return {
        comes: free ? undefined : promise,
        end() {
          if (over) return;
          over = true;
          if (!line.queue.delete(waiting)) line.taken -= 1;
          admit(address, line);
        },
      };
    },
  };
}

/**
 * The address as its queue is named, whatever its spelling. Undefined for those that no cap is on: private ones, which
 * only a job that allows them reaches, and those that a proxy alone knows.
 */
export type CappedAddress = (ip: string | undefined) => string | undefined;

const maxKnown = 4_096;

/** Every request on a connection asks about the same address, and working it out takes longer than looking it up. */
export function createCappedAddress(): CappedAddress {
  const known = new Map<string, string | undefined>();
  return (ip) => {
    if (ip === undefined) return undefined;
    if (!known.has(ip)) {
      if (known.size >= maxKnown) known.clear();
      const address = parseAddress(ip);
      known.set(
        ip,
        address && isGloballyReachable(address) ? `${address.family} ${address.value}` : undefined,
      );
    }
    return known.get(ip);
  };
}
