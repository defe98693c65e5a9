import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import type { Certificates } from './certificates.ts';
import { vanishing } from './connection.ts';

export interface Listeners {
  /** Rejects when a port is taken on one of the addresses; nothing listens then. */
  open(ports: { http: number; https: number }): Promise<void>;
  /** Closes all and resets every connection. */
  close(): Promise<void>;
  connections(): number;
}

/** The sockets of the fake web: both ports on all of its addresses. */
export function createListeners(options: {
  addresses: readonly string[];
  certificates: Certificates;
  serve: (scheme: 'http' | 'https', socket: Socket) => void;
}): Listeners {
  const { addresses, certificates, serve } = options;
  const sockets = new Set<Socket>();
  let servers: Server[] = [];
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  const plain = (): Server =>
    createServer({ allowHalfOpen: true }, (socket) => {
      keep(socket);
      serve('http', socket);
    });
  const secure = (): Server => {
    const server = createTlsServer({ key: certificates.key, cert: certificates.cert }, (socket) => {
      keep(socket);
      serve('https', socket);
    });
    return server.on('tlsClientError', () => {});
  };
  const close = async (): Promise<void> => {
    const closing = servers.map((server) => new Promise<void>((done) => server.close(() => done())));
    servers = [];
    for (const socket of sockets) {
      vanishing.add(socket);
      // A secure socket cannot be reset through its own handle; closing it is as sudden.
      if (socket instanceof TLSSocket) socket.destroy();
      else socket.resetAndDestroy();
    }
    await Promise.all(closing);
  };
  return {
    close,
    connections: () => sockets.size,
    async open(ports) {
      const wanted = addresses.flatMap((address) => [
        { server: plain(), port: ports.http, address },
        { server: secure(), port: ports.https, address },
      ]);
      const opened = await Promise.allSettled(wanted.map((one) => listen(one)));
      servers = wanted.filter((_, n) => opened[n]?.status === 'fulfilled').map(({ server }) => server);
      const failed = opened.find((one) => one.status === 'rejected');
      if (failed === undefined) return;
      await close();
      throw failed.reason;
    },
  };
}

function listen(one: { server: Server; port: number; address: string }): Promise<void> {
  return new Promise((done, failed) => {
    one.server.once('error', failed);
    one.server.listen({ port: one.port, host: one.address, backlog: 1_024 }, () => done());
  });
}
