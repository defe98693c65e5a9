import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** Connections in all. */
  connections: number;
  /** Of those, without a request that is being answered: just opened, or kept for the next request. */
  idleConnections: number;
}

export const connectionLimits: ConnectionLimits = { connections: 10_000, idleConnections: 1_000 };

/**
 * Bounds what connections cost that ask for nothing. Where there are too many, the one that has been idle for the longest
 * makes room, so that a flood of them ends itself and a client with a request is answered.
 */
export function guardConnections(server: Server, limits: ConnectionLimits): void {
  /** By the other end's address, the one that has been idle for the longest first. */
  const idle = new Map<string, Socket>();
  server.maxConnections = limits.connections;

  function rest(key: string, socket: Socket): void {
    idle.delete(key);
    idle.set(key, socket);
    if (idle.size <= limits.idleConnections) return;
    const [oldest] = idle;
    if (!oldest) return;
    idle.delete(oldest[0]);
    oldest[1].destroy();
  }

  server.on('connection', (socket: Socket) => {
    const key = endOf(socket);
    socket.once('close', () => idle.delete(key));
    rest(key, socket);
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const key = endOf(socket);
    idle.delete(key);
    response.once('close', () => {
      if (!socket.destroyed) rest(key, socket);
    });
  });
  server.on('upgrade', ({ socket }: IncomingMessage) => void idle.delete(endOf(socket)));
}

/** The same for a connection and for what is encrypted on it. */
function endOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
