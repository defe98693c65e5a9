import {
  createServer as createHttp,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, createServer, type Server as TcpServer, type Socket } from 'node:net';
import { mayBeReached } from './registries.ts';

/** Comes from nowhere else, so a probe of our own is never taken for a visitor. */
export const probeAddresses = { 4: '127.99.99.99', 6: 'fd99::99' } as const;

export interface Canaries {
  /** Connections that reached a place nobody may reach, since the last look. */
  hits(): Promise<number>;
  /** Addresses of those connections. */
  places(): string[];
  /** Connections that reached a public place. */
  reached(): number;
  stop(): Promise<void>;
}

/**
 * Listens on every address there is: in this network each of them leads to this machine. Whoever connects is counted
 * by the address he connected to.
 */
export async function startCanaries(options: {
  web: number[];
  /** Ports of other services: any connection there is a hit, wherever it went. */
  closed: number[];
  answer: (request: IncomingMessage, response: ServerResponse, forbidden: boolean) => void;
}): Promise<Canaries> {
  let hits = 0;
  let reached = 0;
  const places: string[] = [];
  const probes = new Map<string, () => void>();

  const count = (socket: Socket, closedPort: boolean): boolean => {
    socket.on('error', () => {});
    const from = socket.remoteAddress ?? '';
    if (from === probeAddresses[4] || from === probeAddresses[6]) {
      probes.get(`${socket.localPort} ${from}`)?.();
      socket.destroy();
      return true;
    }
    const forbidden = closedPort || !mayBeReached(socket.localAddress ?? '::');
    if (forbidden) {
      hits++;
      if (places.length < 50) places.push(`${socket.localAddress}:${socket.localPort}`);
    } else reached++;
    return forbidden;
  };

  const servers: (Server | TcpServer)[] = [];
  const listen = async (make: () => Server | TcpServer, port: number): Promise<void> => {
    for (const host of ['0.0.0.0', '::']) {
      const server = make();
      servers.push(server);
      await new Promise<void>((done, failed) => {
        server.once('error', failed);
        server.listen({ port, host, ipv6Only: true }, () => done());
      });
    }
  };
  const web = (): Server => {
    const server = createHttp((request, response) =>
      options.answer(request, response, !mayBeReached(request.socket.localAddress ?? '::')),
    );
    return server.on('connection', (socket: Socket) => count(socket, false));
  };
  const plain = (isClosed: boolean) => (): TcpServer =>
    createServer((socket) => {
      count(socket, isClosed);
      socket.destroy();
    });
  for (const port of options.web) await listen(web, port);
  await listen(plain(false), 443);
  for (const port of options.closed) await listen(plain(true), port);

  /** A connection of our own to each listener: when it is seen, all before it have been seen. */
  async function settle(): Promise<void> {
    const probe = (port: number, family: 4 | 6): Promise<void> =>
      new Promise((done, failed) => {
        const from = probeAddresses[family];
        probes.set(`${port} ${from}`, done);
        const host = family === 4 ? '127.0.0.1' : '::1';
        connect({ host, port, localAddress: from }).on('error', failed).resume();
      });
    for (const port of [...options.web, 443, ...options.closed]) {
      await Promise.all([probe(port, 4), probe(port, 6)]);
    }
  }

  return {
    async hits() {
      await settle();
      const found = hits;
      hits = 0;
      return found;
    },
    places: () => places.splice(0),
    reached: () => reached,
    async stop() {
      for (const server of servers) {
        if ('closeAllConnections' in server) server.closeAllConnections();
        server.close();
      }
      await Promise.resolve();
    },
  };
}
