import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the pages of a host lead to: to many more, or nowhere. */
export type HostKind = 'endless' | 'single';

/** One host for each crawl, each with an address of its own, all in this process. */
export interface Origin {
  /** A new host; answers the URL of its first page. */
  addHost(kind: HostKind): Promise<string>;
  /** When anything of a host was first asked for; undefined: not yet. */
  firstAskedAtMs(url: string): number | undefined;
  stop(): Promise<void>;
}

/** Pages of an endless host: more than anybody fetches here. */
const manyPages = 100_000;
const linksPerPage = 20;

export async function startOrigin(): Promise<Origin> {
  const servers: Server[] = [];
  const asked = new Map<string, number>();
  let port = 0;

  function answer(kind: HostKind, request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/';
    const url = `http://${request.headers.host}/`;
    // That is robots.txt: the gap counts from it.
    if (!asked.has(url)) asked.set(url, performance.now());
    if (path === '/robots.txt') {
      response.writeHead(404).end();
      return;
    }
    const from = Number(/\d+/.exec(path)?.[0] ?? 0) * linksPerPage;
    const links = Array.from({ length: linksPerPage }, (_, n) => (from + n + 1) % manyPages)
      .map((page) => `<a href="/page-${page}">page ${page}</a>`)
      .join('\n');
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(kind === 'endless' ? links : '<p>the end</p>');
  }

  return {
    async addHost(kind) {
      const number = servers.length;
      const address = `127.${78 + (number >> 14)}.${(number >> 7) & 127}.${(number & 127) + 1}`;
      const server = createServer((request, response) => answer(kind, request, response));
      servers.push(server);
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, address, resolve);
      });
      port = (server.address() as AddressInfo).port;
      return `http://${address}:${port}/`;
    },
    firstAskedAtMs: (url) => asked.get(url),
    async stop() {
      for (const server of servers) server.closeAllConnections();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}
