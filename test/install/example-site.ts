import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Server } from 'node:net';
import { createDns } from '../fake-web/dns.ts';
import { makeCertificates } from '../fake-web/certificates.ts';
import { type Host, twinIndex } from '../fake-web/hosts.ts';
import { createWeb, type Web } from '../fake-web/web.ts';

export interface SiteRequest {
  /** `GET https://www.example.org/path` */
  what: string;
  status: number;
}

export interface ExampleSite {
  /** Job settings that lead a crawl of example.org here. */
  defaults: Record<string, unknown>;
  /** In the order they came. */
  requests: SiteRequest[];
  stop(): Promise<void>;
}

const shown = 'example.org';
/** Not where other tests listen, since this one needs the ports of the real web. */
const address = '127.86.19.4';

/**
 * One site of the fake web under the name example.org, on ports 80 and 443, so that commands from the
 * README can be typed as they stand.
 */
export async function startExampleSite(options: { folder: string; dnsPort: number }): Promise<ExampleSite> {
  const web = createWeb({ size: 'S', seed: 7, hugeBytes: 100_000 });
  const site = siteToShow(web);
  const requests: SiteRequest[] = [];
  const counts = new Map<string, number>();
  const answer = (scheme: 'http' | 'https') => (request: IncomingMessage, response: ServerResponse) => {
    const name = (request.headers.host ?? '').toLowerCase();
    const path = request.url ?? '/';
    const what = `${request.method} ${scheme}://${name}${path}`;
    const before = counts.get(what) ?? 0;
    counts.set(what, before + 1);
    const host = hostShownAs(web, site, name);
    if (host === undefined) return void response.writeHead(421).end();
    const found = web.answer({ scheme, host, path, acceptEncoding: '', before: () => before });
    requests.push({ what, status: found.status });
    const body = renamed(found.body, site);
    for (const line of found.head.split('\r\n').filter(Boolean)) {
      const at = line.indexOf(':');
      response.appendHeader(
        line.slice(0, at),
        line
          .slice(at + 1)
          .trim()
          .replaceAll(site, shown),
      );
    }
    response.writeHead(found.status, { 'Content-Length': body.length });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
  const certificates = await makeCertificates(options.folder, [shown, `*.${shown}`]);
  const dns = createDns((name) => (hostShownAs(web, site, name) === undefined ? undefined : address));
  const servers: Server[] = [createServer(answer('http')), createSecureServer(certificates, answer('https'))];
  await Promise.all([
    dns.start(options.dnsPort),
    ...[80, 443].map((port, n) => listen(servers[n] as Server, port)),
  ]);
  return {
    defaults: {
      politeness: { gap: '10ms', slowFactor: 0 },
      fetch: {
        retries: { backoff: '50ms' },
        dns: [`127.0.0.1:${options.dnsPort}`],
        ca: certificates.caFile,
        allowPrivate: [`${address}/32`],
      },
    },
    requests,
    async stop() {
      await Promise.all([dns.stop(), ...servers.map(close)]);
    },
  };
}

/** A site whose bare name leads to www, as many do, and that can be crawled quickly. */
function siteToShow(web: Web): string {
  for (let index = 0; index < web.hosts; index++) {
    const host = web.host(index);
    if (host.class !== 'to-www') continue;
    const www = web.host(twinIndex(host));
    if (www.class === 'serve' && www.robots === 'rules' && !www.retryAfter && www.crawlDelayMs === 0)
      return host.site;
  }
  throw new Error('the fake web has no quick site that redirects to www');
}

function hostShownAs(web: Web, site: string, name: string): Host | undefined {
  return name === shown || name.endsWith(`.${shown}`)
    ? web.hostNamed(name.slice(0, -shown.length) + site)
    : undefined;
}

/** Byte for byte, since pages come in many charsets. */
function renamed(body: Buffer, site: string): Buffer {
  return Buffer.from(body.toString('latin1').replaceAll(site, shown), 'latin1');
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', failed);
    server.listen(port, address, done);
  });
}

function close(server: Server & { closeAllConnections?: () => void }): Promise<void> {
  server.closeAllConnections?.();
  return new Promise((done) => server.close(() => done()));
}
