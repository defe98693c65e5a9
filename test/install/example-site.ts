import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Server } from 'node:net';
import { makeCertificates } from '../fake-web/certificates.ts';
import { createDns } from '../fake-web/dns.ts';
import { type Host, twinIndex } from '../fake-web/hosts.ts';
import { createWeb, type Web } from '../fake-web/web.ts';

export interface SiteRequest {
  /** `GET https://www.example.org/path` */
  what: string;
  status: number;
  /** When it came, by the clock of `performance.now`. */
  atMs: number;
}

export interface ExampleSite {
  /** In the order they came. */
  requests: SiteRequest[];
  /** PEM file of the authority that vouches for it. */
  caFile: string;
  stop(): Promise<void>;
}

const shown = 'example.org';

/**
 * One site of the fake web under the name example.org, on the ports of the real web and with a name server
 * on port 53. Only for a network of its own: see own-network.ts.
 */
export async function startExampleSite(options: {
  folder: string;
  address: string;
  leaves: number;
}): Promise<ExampleSite> {
  const { address, leaves } = options;
  const web = createWeb({ size: 'S', seed: 7, hugeBytes: 100_000 });
  const site = siteToShow(web);
  const hostShownAs = (name: string): Host | undefined => {
    if (name !== shown && !name.endsWith(`.${shown}`)) return undefined;
    const host = web.hostNamed(name.slice(0, -shown.length) + site);
    return host === undefined ? undefined : { ...host, leaves };
  };
  const requests: SiteRequest[] = [];
  const answer = (scheme: 'http' | 'https') => (request: IncomingMessage, response: ServerResponse) => {
    const name = (request.headers.host ?? '').toLowerCase();
    const path = request.url ?? '/';
    const what = `${request.method} ${scheme}://${name}${path}`;
    const before = (): number => requests.filter((each) => each.what === what).length;
    const host = hostShownAs(name);
    if (host === undefined) return void response.writeHead(421).end();
    const found = web.answer({ scheme, host, path, acceptEncoding: '', before });
    requests.push({ what, status: found.status, atMs: performance.now() });
    for (const line of found.head.split('\r\n').filter(Boolean)) {
      const at = line.indexOf(':');
      const value = line.slice(at + 1).trim();
      response.appendHeader(line.slice(0, at), value.replaceAll(site, shown));
    }
    const body = renamed(found.body, site);
    response.writeHead(found.status, { 'Content-Length': body.length });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
  const certificates = await makeCertificates(options.folder, [shown, `*.${shown}`]);
  const dns = createDns((name) => (hostShownAs(name) === undefined ? undefined : address));
  const plain = createServer(answer('http'));
  const secure = createSecureServer(certificates, answer('https'));
  await Promise.all([dns.start(53), listen(plain, 80, address), listen(secure, 443, address)]);
  return {
    requests,
    caFile: certificates.caFile,
    async stop() {
      for (const server of [plain, secure]) server.closeAllConnections();
      await Promise.all([dns.stop(), close(plain), close(secure)]);
    },
  };
}

/** A site whose bare name leads to www, as many do, and that does not ask for patience. */
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

/** Byte for byte, since pages come in many charsets. */
function renamed(body: Buffer, site: string): Buffer {
  return Buffer.from(body.toString('latin1').replaceAll(site, shown), 'latin1');
}

function listen(server: Server, port: number, address: string): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', failed);
    server.listen(port, address, done);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((done) => server.close(() => done()));
}
