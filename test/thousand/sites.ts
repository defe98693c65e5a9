import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monotonicNs } from '../fake-web/request-log.ts';

/** A request as its site saw it. */
export interface Asked {
  url: string;
  host: string;
  /** Of the crawl that asked. */
  mark: string;
  startNs: number;
  endNs: number;
}

/** One host, with an address of its own. */
export interface Site {
  /** The URLs of so many pages. */
  pages(from: number, count: number): string[];
}

/** Any number of hosts in this process, and all that was asked of them. */
export interface Sites {
  add(): Site;
  /** Until all that were added answer. */
  listen(): Promise<void>;
  readonly log: readonly Asked[];
  /** Forgets the log. */
  clear(): void;
  stop(): Promise<void>;
}

const body = `<title>A page</title><p>${'Some words of a page that leads nowhere. '.repeat(40)}</p>`;

/** Each listens on the same port of another loopback address. */
export async function startSites(): Promise<Sites> {
  const servers: Server[] = [];
  const addresses: string[] = [];
  const log: Asked[] = [];
  let port = 0;

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const host = String(request.headers.host);
    const mark = /mark-[\w-]+-end/.exec(String(request.headers['user-agent']))?.[0] ?? '';
    const asked = { url: `http://${host}${request.url}`, host, mark, startNs: monotonicNs(), endNs: 0 };
    log.push(asked);
    // Just before the last byte leaves, so that no pause looks shorter than it was.
    asked.endNs = monotonicNs();
    if (request.url === '/robots.txt') response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end(body);
  }

  async function start(address: string): Promise<void> {
    const server = createServer({ keepAliveTimeout: 2_000 }, answer);
    servers.push(server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, address, resolve);
    });
    port = (server.address() as AddressInfo).port;
  }

  // Its port is that of all others.
  await start('127.79.0.1');
  return {
    log,
    add() {
      const n = addresses.length;
      const address = `127.${80 + (n >> 14)}.${(n >> 7) & 127}.${(n & 127) + 1}`;
      addresses.push(address);
      return {
        pages: (from, count) =>
          Array.from({ length: count }, (_, page) => `http://${address}:${port}/p/${from + page}`),
      };
    },
    async listen() {
      while (servers.length <= addresses.length) await start(addresses[servers.length - 1] as string);
    },
    clear: () => void log.splice(0),
    async stop() {
      for (const server of servers) server.closeAllConnections();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}
