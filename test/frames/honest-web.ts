import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Hosts 127.0.0.2 and up whose pages link to each other, and hosts that a liar may say anything about. */
export interface HonestWeb {
  readonly seeds: string[];
  /** Where nothing that is said matters. */
  readonly lost: readonly string[];
  lostUrl(host: string, n: number): string;
  /** Every page that an honest crawl of the honest hosts finds. */
  readonly pages: ReadonlySet<string>;
  /** How often each page was asked for since the last reset. */
  asked(): Map<string, number>;
  reset(): void;
  stop(): Promise<void>;
}

const hosts = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'];
const lost = ['127.0.0.8', '127.0.0.9'];
const pagesEach = 12;

export async function startHonestWeb(): Promise<HonestWeb> {
  const asked = new Map<string, number>();
  let port = 0;
  const url = (host: string, path: string) => `http://${host}:${port}${path}`;
  const server: Server = createServer((request, response) => {
    const host = request.headers.host?.split(':')[0] ?? '';
    const path = request.url ?? '';
    if (path === '/robots.txt') {
      response.statusCode = 404;
      return void response.end();
    }
    const at = url(host, path);
    asked.set(at, (asked.get(at) ?? 0) + 1);
    response.setHeader('content-type', 'text/html');
    const n = Number(/\d+/.exec(path)?.[0] ?? 0);
    response.end(hosts.includes(host) ? linksOf(n) : '<p>lost</p>');
  });
  /** A tree on every host, with a link to the same page of every other. */
  function linksOf(n: number): string {
    const children = [2 * n + 1, 2 * n + 2].filter((child) => child < pagesEach);
    return hosts
      .flatMap((host) => [n, ...children].map((child) => `<a href="${url(host, `/${child}`)}">x</a>`))
      .join('');
  }
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  port = (server.address() as AddressInfo).port;
  const pages = new Set(
    hosts.flatMap((host) => Array.from({ length: pagesEach }, (_, n) => url(host, `/${n}`))),
  );
  return {
    lost,
    pages,
    lostUrl: (host, n) => url(host, `/lost-${n}`),
    seeds: [
      url(hosts[0] ?? '', '/0'),
      ...lost.flatMap((host) => [0, 1, 2].map((n) => url(host, `/lost-${n}`))),
    ],
    asked: () => asked,
    reset: () => asked.clear(),
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
