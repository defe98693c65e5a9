import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A page that answers 304 to its own ETag. `plain`: one without validators. */
export interface ChangingPage {
  body: string;
  plain?: boolean;
}

export interface Asked {
  path: string;
  headers: IncomingMessage['headers'];
  status: number;
}

/** A small site whose pages a test may change, add and take away between two crawls. */
export interface ChangingSite {
  origin: string;
  pages: Record<string, ChangingPage | undefined>;
  /** Paths that answer 500 for now. */
  failing: Set<string>;
  /** All requests but those for robots.txt. */
  asked: Asked[];
  stop(): Promise<void>;
}

export async function startChangingSite(pages: ChangingSite['pages']): Promise<ChangingSite> {
  const asked: Asked[] = [];
  const failing = new Set<string>();
  const server = createServer(({ url = '/', headers }, response) => {
    const page = pages[url];
    const etag = `"${page?.body.length}-${Buffer.from(page?.body ?? '')
      .toString('base64url')
      .slice(-12)}"`;
    const fresh = page && !page.plain && headers['if-none-match'] === etag;
    const status = failing.has(url) ? 500 : !page ? 404 : fresh ? 304 : 200;
    if (url !== '/robots.txt') asked.push({ path: url, headers, status });
    response.writeHead(status, {
      ...(status === 304 ? {} : { 'content-type': 'text/html' }),
      ...(page && !page.plain ? { etag } : {}),
    });
    response.end(status === 200 ? page?.body : undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pages,
    failing,
    asked,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
