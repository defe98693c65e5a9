import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { monotonicNs } from '../fake-web/request-log.ts';

export interface SiteOptions {
  robots?: string | number;
  /** The answer to the n-th page that is asked for, from 0; a page with links by default. */
  page?: (n: number) => { status: number; headers?: Record<string, string> } | undefined;
  /** Breaks every connection off before it answers. */
  resets?: boolean;
  /** Addresses it listens on, all at the same port. */
  addresses?: string[];
}

/** A site that behaves as badly as a cause of waiting needs it to. */
export interface Site {
  port: number;
  url(address?: string): string;
  /** When each request came, on the clock of all processes. */
  readonly askedAtNs: number[];
  /** When the first one came that was for a page. */
  firstPageNs(): number | undefined;
  stop(): Promise<void>;
}

const LINKS = Array.from({ length: 30 }, (_, n) => `<a href="/p${n}">page ${n}</a>`).join(' ');

export async function startSite(options: SiteOptions = {}): Promise<Site> {
  const askedAtNs: number[] = [];
  const pagesAtNs: number[] = [];
  const servers: Server[] = [];
  let pages = 0;

  function answer(request: IncomingMessage, response: ServerResponse): void {
    askedAtNs.push(monotonicNs());
    if (request.url === '/robots.txt') {
      const { robots = 404 } = options;
      if (typeof robots === 'number') response.writeHead(robots).end();
      else response.writeHead(200, { 'content-type': 'text/plain' }).end(robots);
      return;
    }
    pagesAtNs.push(monotonicNs());
    const special = options.page?.(pages++);
    if (special) response.writeHead(special.status, special.headers).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end(LINKS);
  }

  async function listen(address: string, port: number): Promise<number> {
    const server = createServer(answer);
    if (options.resets)
      server.on('connection', (socket: Socket) => {
        askedAtNs.push(monotonicNs());
        socket.once('data', () => socket.resetAndDestroy());
      });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, address, resolve);
    });
    servers.push(server);
    return (server.address() as AddressInfo).port;
  }

  const [first = '127.0.0.1', ...others] = options.addresses ?? [];
  const port = await listen(first, 0);
  for (const address of others) await listen(address, port);
  return {
    port,
    askedAtNs,
    url: (address = first) => `http://${address}:${port}/`,
    firstPageNs: () => pagesAtNs[0],
    async stop() {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

/** A port of the loopback address on which nobody listens. */
export async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
