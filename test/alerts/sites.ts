import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Site {
  /** `http://127.0.0.2:PORT` */
  origin: string;
  stop(): Promise<void>;
}

type Page = (path: string) => { status: number; html: string };

/** A site on an address of its own, so that no two crawls share a host. */
export async function startSite(host: string, page: Page): Promise<Site> {
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const { status, html } = path === '/robots.txt' ? { status: 404, html: '' } : page(path);
    response.writeHead(status, { 'content-type': 'text/html' }).end(html);
  });
  await new Promise<void>((done) => server.listen(0, host, done));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://${host}:${port}`,
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

const ok = (html: string) => ({ status: 200, html });

/** Pages without end. */
export const endless: Page = (path) => {
  const n = Number(/\d+/.exec(path)?.[0] ?? 0);
  return ok(`<a href="/${n + 1}">next</a>`);
};

/** Every other page answers 500. */
export const failing: Page = (path) => {
  const n = Number(/\d+/.exec(path)?.[0] ?? 0);
  return n % 2 === 1
    ? { status: 500, html: 'broken' }
    : ok(`<a href="/${n + 1}">a</a> <a href="/${n + 2}">b</a>`);
};

/** A page that leads to the networks of others. */
export const luring: Page = () =>
  ok(Array.from({ length: 40 }, (_, n) => `<a href="http://10.0.${n}.1/">${n}</a>`).join(' '));
