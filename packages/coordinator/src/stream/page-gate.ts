/**
 * How a reader that catches up gets pages from the store. What is read for it stays in memory until it is sent, so it is
 * read only when it is the reader's turn.
 */
export interface PageGate {
  /** Reads once it is this reader's turn. Rejects when the signal is given before that. */
  read<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T>;
  /** What was read is no longer kept: it was sent, or there was nothing. */
  dropped(): void;
}

export interface PageGates {
  /** Readers of one owner wait for each other; owners take turns. */
  of(owner: string): PageGate;
}

/** Pages that are read at once, for all. More would only wait in the queue to the store, and others behind them. */
const usualAtOnce = 8;

export function createPageGates(atOnce = usualAtOnce): PageGates {
  const turns = createTurns(atOnce);
  return {
    of: (owner) => ({
      async read(signal, ask) {
        const end = await turns.take(owner, signal);
        try {
          return await ask();
        } finally {
          end();
        }
      },
      dropped: () => undefined,
    }),
  };
}

/**
 * For the subscriptions of one socket: so many pages wait for its client at most, however many subscriptions it has. Each
 * subscription gets a gate of its own, to be told when its frame was sent.
 */
export function shareGate(gate: PageGate, pages: number): () => PageGate {
  const turns = createTurns(pages);
  return () => {
    let end: (() => void) | undefined;
    return {
      async read(signal, ask) {
        end ??= await turns.take('', signal);
        return await gate.read(signal, ask);
      },
      dropped() {
        end?.();
        end = undefined;
      },
    };
  };
}

interface Turns {
  /** Answers what ends the turn. */
  take(owner: string, signal: AbortSignal): Promise<() => void>;
}

function createTurns(atOnce: number): Turns {
  /** By owner, the one whose turn is next first. */
  const waiting = new Map<string, Set<() => void>>();
  let taken = 0;

  function end(): void {
    taken--;
    const [next] = waiting;
    if (!next) return;
    const [owner, queue] = next;
    const [begin] = queue;
    queue.delete(begin as () => void);
    waiting.delete(owner);
    if (queue.size > 0) waiting.set(owner, queue);
    begin?.();
  }

  function begin(): () => void {
    taken++;
    let isOver = false;
    return () => {
      if (!isOver) end();
      isOver = true;
    };
  }

  return {
    async take(owner, signal) {
      signal.throwIfAborted();
      if (taken < atOnce) return begin();
      return await new Promise((resolve, reject) => {
        const queue = waiting.get(owner) ?? new Set();
        waiting.set(owner, queue);
        const start = () => {
          signal.removeEventListener('abort', leave);
          resolve(begin());
        };
        const leave = () => {
          queue.delete(start);
          if (queue.size === 0 && waiting.get(owner) === queue) waiting.delete(owner);
          reject(signal.reason as Error);
        };
        queue.add(start);
        signal.addEventListener('abort', leave, { once: true });
      });
    },
  };
}
