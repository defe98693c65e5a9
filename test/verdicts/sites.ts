import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { makeCertificates } from '../fake-web/certificates.ts';
import { type Random, randomFrom } from '../fuzz/random.ts';

/** What stands behind a link. */
const kinds = {
  good: { broken: false },
  slow: { broken: false },
  large: { broken: false },
  moved: { broken: false },
  hang: { broken: true },
  cut: { broken: true },
  reset: { broken: true },
  half: { broken: true },
  gone: { broken: true },
  error: { broken: true },
  loop: { broken: true },
  encoding: { broken: true },
  port: { broken: true },
  tls: { broken: true },
  dns: { broken: true },
} as const;
export type Kind = keyof typeof kinds;
const badKinds = (Object.keys(kinds) as Kind[]).filter((kind) => kinds[kind].broken);
const goodKinds = (Object.keys(kinds) as Kind[]).filter((kind) => !kinds[kind].broken);

export interface MadeLink {
  url: string;
  kind: Kind;
  broken: boolean;
}

export interface MadeSite {
  /** Its root page, which has all links in a random order. */
  seed: string;
  links: MadeLink[];
}

export interface MadeSites {
  sites: MadeSite[];
  /** When requests to a site began and ended, in milliseconds of one clock, by its address. */
  seen: Map<string, { firstMs: number; lastMs: number; requests: number }>;
  stop(): Promise<void>;
}

export interface SitesOptions {
  folder: string;
  sites: number;
  linksPerSite: number;
  /** At most. Site n has n modulo one more. */
  badPerSite: number;
  slowMs: number;
  seed: number;
}

/** Small sites on addresses of their own, some links of which are broken, each in a way of its own. */
export async function startSites(options: SitesOptions): Promise<MadeSites> {
  const random = randomFrom(options.seed);
  const { key, cert } = await makeCertificates(options.folder, ['elsewhere.test']);
  const closedPort = await unusedPort();
  const pages = new Map<string, MadeSite>();
  const seen: MadeSites['seen'] = new Map();
  const servers: Server[] = [];

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const [address = ''] = (request.headers.host ?? '').split(':');
    const now = performance.now();
    const times = seen.get(address) ?? { firstMs: now, lastMs: now, requests: 0 };
    times.requests += 1;
    seen.set(address, times);
    response.once('close', () => void (times.lastMs = Math.max(times.lastMs, performance.now())));
    respond({ request, response, site: pages.get(address), slowMs: options.slowMs });
  }

  let port = 0;
  for (let n = 0; n < options.sites; n++) {
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(port, addressOf(n), resolve));
    ({ port } = server.address() as AddressInfo);
    servers.push(server);
  }
  const securePorts = new Map<string, number>();
  for (let n = 0; n < options.sites; n++) {
    const one = createSecureServer({ key, cert }, answer);
    await new Promise<void>((resolve) => one.listen(0, addressOf(n), resolve));
    securePorts.set(addressOf(n), (one.address() as AddressInfo).port);
    servers.push(one);
  }
  for (let n = 0; n < options.sites; n++) {
    const address = addressOf(n);
    const bad = n % (options.badPerSite + 1);
    const links = shuffled(
      Array.from({ length: options.linksPerSite }, (_, i): MadeLink => {
        const kind = random.pick(i < bad ? badKinds : goodKinds);
        const url = {
          port: `http://${address}:${closedPort}/${i}`,
          tls: `https://${address}:${securePorts.get(address)}/${i}`,
          dns: `http://no-such-name-${n}-${i}.test/`,
        }[kind as string];
        return { url: url ?? `http://${address}:${port}/${kind}/${i}`, kind, broken: kinds[kind].broken };
      }),
      random,
    );
    pages.set(address, { seed: `http://${address}:${port}/`, links });
  }
  return {
    sites: [...pages.values()],
    seen,
    async stop() {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

interface Asked {
  request: IncomingMessage;
  response: ServerResponse;
  site: MadeSite | undefined;
  slowMs: number;
}

function respond({ request, response, site, slowMs }: Asked): void {
  const path = request.url ?? '/';
  const html = (body: string) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(body);
  const ways: Record<string, () => unknown> = {
    good: () => html('<p>fine</p>'),
    slow: () => setTimeout(() => html('<p>in a moment</p>'), slowMs),
    large: () => html(`<p>${'words and words '.repeat(8_000)}</p>`),
    moved: () => response.writeHead(302, { location: path.replace('moved', 'good') }).end(),
    hang: () => undefined,
    cut: () => request.socket.destroy(),
    reset: () => request.socket.resetAndDestroy(),
    half: () => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': '5000' });
      response.write('<p>half');
      setTimeout(() => request.socket.destroy(), 20);
    },
    gone: () => response.writeHead(410).end(),
    error: () => response.writeHead(500).end('error'),
    loop: () => response.writeHead(302, { location: path }).end(),
    encoding: () =>
      response
        .writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
        .end(gzipSync('<p>torn</p>').subarray(4)),
  };
  if (path === '/robots.txt') return void response.end('User-agent: *\nAllow: /\n');
  if (path === '/' && site) {
    const links = site.links.map(({ url, kind }, n) => `<p><a href="${url}">${kind} ${n}</a></p>`);
    return void html(`<title>A site</title>${links.join('\n')}`);
  }
  const way = ways[path.split('/')[1] ?? ''];
  if (way) way();
  else response.writeHead(404).end();
}

/** Each is a host, and a site, of its own. */
function addressOf(n: number): string {
  return `127.1.${n >> 7}.${(n & 127) + 1}`;
}

async function unusedPort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function shuffled<T>(list: T[], random: Random): T[] {
  for (let i = list.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [list[i], list[j]] = [list[j] as T, list[i] as T];
  }
  return list;
}
