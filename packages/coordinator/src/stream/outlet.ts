import type { Socket } from '../link/sockets.ts';

/** Lets a socket's subscriptions write to it one after the other, as fast as its client reads. */
export interface Outlet {
  /** Resolves when fewer bytes wait for the client than it may have waiting. Rejects when the signal is given. */
  room(signal: AbortSignal): Promise<void>;
  /** The same, and then calls `send` at once: between the two nobody else does. */
  turn(signal: AbortSignal, send: () => void): Promise<void>;
  /** Some of what was written was taken. */
  drained(): void;
}

export function openOutlet(socket: Pick<Socket, 'unread'>, unreadBytes: number): Outlet {
  const waiting = new Set<() => void>();
  const hasRoom = () => socket.unread < unreadBytes;

  async function room(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    while (!hasRoom()) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          signal.removeEventListener('abort', wake);
          waiting.delete(wake);
          resolve();
        };
        signal.addEventListener('abort', wake, { once: true });
        waiting.add(wake);
      });
      signal.throwIfAborted();
    }
  }

  return {
    room,
    async turn(signal, send) {
      await room(signal);
      send();
    },
    drained() {
      // All of them, because one that has nothing to write yet would keep the others waiting. The first to write may
      // fill the socket again: each looks once more before it writes.
      if (hasRoom()) for (const wake of waiting) wake();
    },
  };
}
