import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SmallSite {
  /** `http://127.0.0.1:PORT` */
  origin: string;
  /** Paths asked for, in order. */
  asked: string[];
  /** When each of them was asked for, and how many requests were unanswered then, itself included. */
  log: { path: string; atMs: number; inFlight: number }[];
  stop(): Promise<void>;
}

type PlainAnswer = string | { status: number; headers?: Record<string, string>; body?: string };
/** A function is given the site's own origin. */
export type Answer = PlainAnswer | ((origin: string) => PlainAnswer | Promise<PlainAnswer>);

/** A site of a few pages on this machine, for tests of what a library user sees. */
export async function startSmallSite(pages: Record<string, Answer>): Promise<SmallSite> {
  const asked: string[] = [];
  const log: SmallSite['log'] = [];
  let inFlight = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '/';
    asked.push(path);
    log.push({ path, atMs: performance.now(), inFlight: ++inFlight });
    response.once('close', () => inFlight--);
    const found = pages[path];
    const page = typeof found === 'function' ? await found(`http://${request.headers.host}`) : found;
    if (page === undefined) response.writeHead(404, { 'content-type': 'text/plain' }).end('nothing here');
    else if (typeof page === 'string')
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
    else
      response.writeHead(page.status, { 'content-type': 'text/html', ...page.headers }).end(page.body ?? '');
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    asked,
    log,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A shop: a front page, one category, three products, and a cart nobody should follow. */
export const shopPages: Record<string, Answer> = {
  '/': '<a href="/category/tools">Tools</a> <a href="/cart/add?id=1">Buy</a> <a href="/about">About</a>',
  '/category/tools': '<a href="/p/hammer">Hammer</a> <a href="/p/saw">Saw</a> <a href="/p/file">File</a>',
  '/p/hammer': '<h1>Hammer</h1><meta itemprop=price content="12.5">',
  '/p/saw': '<h1>Saw</h1><meta itemprop=price content="9">',
  '/p/file': '<h1>File</h1><meta itemprop=price content="4.25">',
};
