/** Hands events from a callback to `for await`, in order, until closed. A slow reader loses the oldest. */
export interface EventQueue<T> extends AsyncIterable<T> {
  push(value: T): void;
  close(): void;
}

const MAX_WAITING = 10_000;

export function createEventQueue<T>(): EventQueue<T> {
  const waiting: T[] = [];
  let closed = false;
  let wake = Promise.withResolvers<void>();

  const signal = () => {
    wake.resolve();
    wake = Promise.withResolvers<void>();
  };
  return {
    push(value) {
      if (closed) return;
      waiting.push(value);
      if (waiting.length > MAX_WAITING) waiting.shift();
      signal();
    },
    close() {
      closed = true;
      signal();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = wake.promise;
        while (waiting.length > 0) yield waiting.shift() as T;
        if (closed) return;
        await next;
      }
    },
  };
}
