import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { Bomb } from './bombs.ts';

/** Hosts of both teams on addresses of this machine. */
export interface Sites {
  /** Where each begins. */
  goodSeeds: string[];
  seedOf(bomb: Bomb): string;
  /** When a page of a good host was asked for. */
  goodAtMs: number[];
  stop(): Promise<void>;
}

const bombsOnHost = 3;

export async function startSites({
  goodHosts,
  bombs,
}: {
  goodHosts: number;
  bombs: readonly Bomb[];
}): Promise<Sites> {
  const bodies = new Map(bombs.map((bomb) => [`/${bomb.name}`, { bomb, body: bomb.body() }]));
  const goodAtMs: number[] = [];
  const servers: Server[] = [];
  const listen = async (address: string, port: number, server: Server): Promise<number> => {
    servers.push(server.listen(port, address));
    await once(server, 'listening');
    return (server.address() as { port: number }).port;
  };
  const good = () =>
    createServer((request, response) => {
      const { url = '' } = request;
      if (url === '/robots.txt') return void response.writeHead(404).end();
      goodAtMs.push(performance.now());
      const page = Number(/\d+$/.exec(url)?.[0] ?? 0);
      const links = [1, 2, 3].map((more) => `<a href="/p/${page * 2 + more}">next</a>`).join(' ');
      response.setHeader('content-type', 'text/html');
      response.end(`<title>Page ${page}</title><p>Some words about tides and winds.</p>${links}`);
    });
  const bad = () =>
    createServer((request, response) => {
      const found = bodies.get(request.url ?? '');
      if (!found) return void response.writeHead(404).end();
      const { bomb, body } = found;
      response.writeHead(200, { 'content-type': bomb.type });
      response.end(body);
    });
  let port = await listen('127.3.0.1', 0, good());
  for (let host = 2; host <= goodHosts; host++) port = await listen(`127.3.0.${host}`, port, good());
  const hosts = Math.ceil(bombs.length / bombsOnHost);
  for (let host = 1; host <= hosts; host++) await listen(`127.4.0.${host}`, port, bad());
  return {
    goodSeeds: Array.from({ length: goodHosts }, (_, host) => `http://127.3.0.${host + 1}:${port}/`),
    seedOf: (bomb) =>
      `http://127.4.0.${1 + Math.floor(bombs.indexOf(bomb) / bombsOnHost)}:${port}/${bomb.name}`,
    goodAtMs,
    async stop() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      }
    },
  };
}
