import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TextSite {
  origin: string;
  /** What each page says that no other says, and what is to be extracted of it, by URL. */
  pages: ReadonlyMap<string, { words: string; sku: string }>;
  /** Files that pages link to, by URL. */
  files: ReadonlyMap<string, string>;
  /** Resolves at the request that is this many after now. */
  after(requests: number): Promise<void>;
  stop(): Promise<void>;
}

/** A site of pages with prose and a number each, every fourth with a table to download. */
export async function startTextSite(count: number): Promise<TextSite> {
  let requests = 0;
  let waiting: { at: number; resolve: () => void } | undefined;
  const bodies = new Map<string, { type: string; body: string }>();
  const server = createServer(({ url = '/' }, response) => {
    requests++;
    if (waiting && requests >= waiting.at) waiting.resolve();
    const found = bodies.get(url);
    response.writeHead(found ? 200 : 404, { 'content-type': found?.type ?? 'text/plain' }).end(found?.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pages = new Map<string, { words: string; sku: string }>();
  const files = new Map<string, string>();
  const links: string[] = [];
  for (let n = 0; n < count; n++) {
    const words = `The harbour of town ${n} closes when its tide falls below mark ${n * 7}.`;
    const sku = `S-${n}`;
    const prose = `<p>${words} Ships wait outside until the water is back, and the pilots sleep.</p>`.repeat(
      3,
    );
    const file = n % 4 === 0 ? `/data/${n}.csv` : undefined;
    const link = file === undefined ? '' : `<a href="${file}">table ${n}</a>`;
    bodies.set(`/p/${n}`, {
      type: 'text/html',
      body: `<html lang="en"><title>Town ${n}</title><main><h1>Town ${n}</h1>${prose}${link}</main><b class="sku">${sku}</b><p>end of ${n}</p></html>`,
    });
    pages.set(`${origin}/p/${n}`, { words, sku });
    links.push(`<a href="/p/${n}">town ${n}</a>`);
    if (file === undefined) continue;
    const table = `mark,tide\n${n},${n * 7}\n`;
    bodies.set(file, { type: 'text/csv', body: table });
    files.set(`${origin}${file}`, table);
  }
  bodies.set('/', { type: 'text/html', body: links.join(' ') });
  return {
    origin,
    pages,
    files,
    after: (more) => new Promise((resolve) => (waiting = { at: requests + more, resolve })),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
