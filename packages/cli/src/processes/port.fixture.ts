import type { Port } from './wire.ts';

export interface PortPair {
  a: Port;
  b: Port;
  /** Both sides are told; what was sent before has arrived. */
  close(): void;
}

/** Two ends joined in memory. Messages are copied on the way, as between processes, and arrive a turn later. */
export function portPair(): PortPair {
  let open = true;
  const closers: (() => void)[] = [];
  const listeners: Record<'a' | 'b', ((message: unknown) => void)[]> = { a: [], b: [] };
  const end = (own: 'a' | 'b', other: 'a' | 'b'): Port => ({
    send(message) {
      if (!open) return;
      const copy = structuredClone(message);
      queueMicrotask(() => {
        for (const listener of listeners[other]) listener(copy);
      });
    },
    onMessage: (listener) => void listeners[own].push(listener),
    onClose: (listener) => void closers.push(listener),
  });
  return {
    a: end('a', 'b'),
    b: end('b', 'a'),
    close() {
      if (!open) return;
      open = false;
      queueMicrotask(() => {
        for (const closer of closers) closer();
      });
    },
  };
}
