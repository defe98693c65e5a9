import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDns } from '../fake-web/dns.ts';

/** The host whose owner asks for its deletion, and others that link to it and share files with it. */
export const goneHost = 'owner-wish.test';
export const otherHosts = ['alpha.test', 'beta.test', 'gamma.test'] as const;
/** Stands in every page and file of the host, and nowhere else. */
export const marker = 'MARKER-ZQX7-PERSONAL';

export interface ForgetSite {
  /** What a job needs to reach it. */
  fetch: { dns: string[]; allowPrivate: string[] };
  seeds: string[];
  /** Requests so far, by host. */
  asked(host: string): number;
  stop(): Promise<void>;
}

const pages = 8;
/** The same on every host; the others have it one link farther away, so the archive has it first of the host that goes. */
const shared = 'terms that many sites have word for word\n'.repeat(100);

/**
 * Several hosts on one port. Pages of other hosts name the host that goes only in an encoded form that readers of HTML
 * understand: its name in plain letters is then nowhere in what they serve, and every place where it is found afterwards is
 * of the crawler's making.
 */
export async function startForgetSite(): Promise<ForgetSite> {
  const asked = new Map<string, number>();
  const server = createServer((request, response) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    asked.set(host, (asked.get(host) ?? 0) + 1);
    answer(request, response, { host, port: (server.address() as AddressInfo).port });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const names = new Set<string>([goneHost, ...otherHosts]);
  const dns = createDns((name) => (names.has(name.toLowerCase()) ? '127.0.0.1' : undefined));
  const dnsPort = await freePort();
  await dns.start(dnsPort);
  return {
    fetch: { dns: [`127.0.0.1:${dnsPort}`], allowPrivate: ['127.0.0.0/8'] },
    seeds: [`http://${otherHosts[0]}:${port}/`],
    asked: (host) => asked.get(host) ?? 0,
    async stop() {
      await dns.stop();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done));
  const { port } = probe.address() as AddressInfo;
  await new Promise((done) => probe.close(done));
  return port;
}

interface Place {
  host: string;
  port: number;
}

function answer({ url = '/' }: IncomingMessage, response: ServerResponse, { host, port }: Place): void {
  const [, page] = /^\/(?:page|via)(\d+)$/.exec(url) ?? [];
  if (/^\/doc\d$/.test(url)) return send(response, 'text/plain', `${url}\n${shared}`);
  if (url === '/moved') {
    response.writeHead(302, { Location: encodedPath(port) });
    return void response.end();
  }
  if (url !== '/' && (page === undefined || Number(page) >= pages)) {
    response.writeHead(404, { 'Content-Type': 'text/plain' });
    return void response.end(host === goneHost ? `nothing here ${marker}` : 'nothing here');
  }
  const own = Array.from({ length: pages }, (_, n) => `<a href="/page${n}">page ${n}</a>`).join('\n');
  const others = otherHosts.map((name) => `<map><area href="http://${name}:${port}/"></map>`).join('');
  const n = page ?? '0';
  const words = host === goneHost ? `${marker} text of page ${n}` : `text of ${host}, page ${n}`;
  const doc = host === goneHost || url.startsWith('/via') ? `<map><area href="/doc${n}"></map>` : '';
  const via =
    host === goneHost
      ? otherHosts.map((name) => `<map><area href="http://${name}:${port}/via${n}"></map>`)
      : [];
  send(
    response,
    'text/html; charset=utf-8',
    `<!doctype html><title>${words}</title><main><h1>${words}</h1>
<p>${`${words}. `.repeat(30)}</p>${own}</main>${others}${doc}${via.join('')}
<map><area href="${encoded(`http://${goneHost}:${port}/page${n}`)}"><area href="/moved"></map>`,
  );
}

/** Each letter as HTML writes it by number. */
const encoded = (text: string) => Array.from(text, (letter) => `&#${letter.codePointAt(0)};`).join('');
/** Each letter of the host as URLs write it by number. */
const encodedPath = (port: number) =>
  `http://${Array.from(goneHost, (letter) => `%${letter.codePointAt(0)?.toString(16)}`).join('')}:${port}/page1`;

function send(response: ServerResponse, type: string, body: string): void {
  response.writeHead(200, {
    'Content-Type': type,
    'Content-Length': String(Buffer.byteLength(body)),
    'Set-Cookie': 'visit=1; Path=/',
  });
  response.end(body);
}
