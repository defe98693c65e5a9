import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { Answer, Bomb } from './bomb.ts';

/** Hosts of both teams on addresses of this machine. */
export interface Sites {
  /** Where each begins. */
  goodSeeds: string[];
  urlOf(bomb: Bomb): string;
  /** When a page of a good host was asked for. */
  goodAtMs: number[];
  stop(): Promise<void>;
}

const bombsOnHost = 3;

/** An address for each bomb that has a host of its own, and for each few of the others. */
function addressesOf(bombs: readonly Bomb[]): Map<Bomb, string> {
  const addresses = new Map<Bomb, string>();
  let hosts = 0;
  let shared: { address: string; room: number } | undefined;
  const next = () => `127.4.${hosts >> 8}.${1 + (hosts++ & 0xff)}`;
  for (const bomb of bombs) {
    if (bomb.alone) {
      addresses.set(bomb, next());
      continue;
    }
    if (!shared || shared.room === 0) shared = { address: next(), room: bombsOnHost };
    shared.room--;
    addresses.set(bomb, shared.address);
  }
  return addresses;
}

export async function startSites({
  goodHosts,
  bombs,
}: {
  goodHosts: number;
  bombs: readonly Bomb[];
}): Promise<Sites> {
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
  let port = await listen('127.3.0.1', 0, good());
  for (let host = 2; host <= goodHosts; host++) port = await listen(`127.3.0.${host}`, port, good());
  const addresses = addressesOf(bombs);
  const pathOf = ({ name, query = '' }: Bomb) => `/${name}${query}`;
  for (const address of new Set(addresses.values())) {
    const here = bombs.filter((bomb) => addresses.get(bomb) === address);
    const answers = new Map(
      here.flatMap((bomb) => [[pathOf(bomb), bomb.answer] as const, ...Object.entries(bomb.files ?? {})]),
    );
    await listen(address, port, badServer(answers));
  }
  return {
    goodSeeds: Array.from({ length: goodHosts }, (_, host) => `http://127.3.0.${host + 1}:${port}/`),
    urlOf: (bomb) => `http://${addresses.get(bomb)}:${port}${pathOf(bomb)}`,
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

function badServer(answers: ReadonlyMap<string, Answer>): Server {
  return createServer((request, response) => {
    const found = answers.get(request.url ?? '');
    if (found) serve(found, request, response);
    else response.writeHead(404).end();
  });
}

function serve(
  { status = 200, headers, body, raw }: Answer,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (raw) {
    request.socket.on('error', () => {});
    return void request.socket.end(raw());
  }
  response.writeHead(status, [...headers]);
  response.end(body());
}
