import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Hosts on addresses of this machine, with pages without end, and a log of what was asked of them. */
export interface AloneSites {
  /** A host of its own; answers its first page. */
  addHost(): Promise<string>;
  /** Pages that were asked for, of all hosts. */
  readonly pages: number;
  stop(): Promise<void>;
}

/** `net`: the second byte of their addresses. */
export async function startSites(net: number): Promise<AloneSites> {
  const servers: Server[] = [];
  let pages = 0;
  let port = 0;

  function answer({ url = '/' }: IncomingMessage, response: ServerResponse): void {
    if (url === '/robots.txt') return void response.writeHead(404).end();
    pages++;
    const page = Number(/\d+$/.exec(url)?.[0] ?? 0);
    const links = [1, 2, 3].map((more) => `<a href="/p/${page * 3 + more}">Page ${page * 3 + more}</a>`);
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(
      `<title>Page ${page}</title><p>${'Some words about tides and winds. '.repeat(30)}</p>${links.join(' ')}`,
    );
  }

  return {
    async addHost() {
      const address = `127.${net}.0.${servers.length + 1}`;
      const server = createServer(answer);
      servers.push(server);
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, address, resolve);
      });
      port = (server.address() as AddressInfo).port;
      return `http://${address}:${port}/p/0`;
    },
    get pages() {
      return pages;
    },
    async stop() {
      for (const server of servers) server.closeAllConnections();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

/** A server that speaks HTTP, or hears everything and answers nothing. */
export async function startServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    request.resume();
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
