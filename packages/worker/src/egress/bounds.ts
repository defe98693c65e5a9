import type { Clock } from '@webfarer/protocol';
import { over } from './stop.ts';

/**
 * Deadlines and abort signals of all requests under way. Requests come by the thousand and nearly all end
 * long before their deadline, so they share one timer per length and one listener per signal.
 */
export interface Bounds {
  /** Calls `expired` once after `ms`, unless the answered function is called first. */
  within(ms: number, expired: () => void): () => void;
  /** Calls `cancelled` when the signal is aborted, at once if it is already, unless called off first. */
  unlessAborted(signal: AbortSignal, cancelled: () => void): () => void;
}

interface Deadline {
  atMs: number;
  expired: () => void;
}

/** One listener for each signal, whatever asks: a worker's own signal outlives all its crawls, each of which has bounds. */
// allow(state): gone with its signals
const listeners = new WeakMap<AbortSignal, Set<() => void>>();

function listenersOf(signal: AbortSignal): Set<() => void> {
  let found = listeners.get(signal);
  if (!found) {
    const made = new Set<() => void>();
    listeners.set(signal, made);
    signal.addEventListener('abort', () => made.forEach((cancelled) => cancelled()), { once: true });
    found = made;
  }
  return found;
}

export function createBounds(clock: Clock): Bounds {
  const lengths = new Map<number, ReturnType<typeof createLine>>();

  return {
    within(ms, expired) {
      let line = lengths.get(ms);
      if (!line) {
        line = createLine(clock, ms, () => lengths.delete(ms));
        lengths.set(ms, line);
      }
      return line.add(expired);
    },
    unlessAborted(signal, cancelled) {
      if (signal.aborted) {
        cancelled();
        return () => {};
      }
      const all = listenersOf(signal);
      all.add(cancelled);
      return () => void all.delete(cancelled);
    },
  };
}

/** Deadlines of one length are due in the order they were set: a queue with a timer on its head. */
function createLine(clock: Clock, ms: number, emptied: () => void): { add(expired: () => void): () => void } {
  const queue = new Set<Deadline>();
  let timer: AbortController | undefined;

  function arm(atMs: number): void {
    const armed = new AbortController();
    timer = armed;
    clock.sleep(Math.max(0, atMs - clock.now()), armed.signal).then(
      () => ring(),
      () => {},
    );
  }

  function ring(): void {
    for (const deadline of queue) {
      // Timers may fire a moment early; a millisecond more or less is not worth another one.
      if (deadline.atMs > clock.now() + 1) return arm(deadline.atMs);
      queue.delete(deadline);
      deadline.expired();
    }
    end();
  }

  function end(): void {
    timer?.abort(over);
    timer = undefined;
    emptied();
  }

  return {
    add(expired) {
      const deadline: Deadline = { atMs: clock.now() + ms, expired };
      queue.add(deadline);
      if (!timer) arm(deadline.atMs);
      return () => {
        if (queue.delete(deadline) && queue.size === 0) end();
      };
    },
  };
}
