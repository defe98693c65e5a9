import { createServer, type Server } from 'node:http';
import { hostileStrings } from './hostile-strings.ts';

/** Made-up sites for the console to show: large, small, ill, slow and hostile ones. */
export interface Sites {
  names: readonly string[];
  /** How often each site was asked for anything, robots.txt included. */
  requests: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

interface Reply {
  status: number;
  body: string;
  headers?: Record<string, string>;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const page = (title: string, links: readonly string[]): Reply => ({
  status: 200,
  body: `<!doctype html><html lang="en"><title>${escaped(title)}</title><h1>${escaped(title)}</h1>${links
    .map((link) => `<p><a href="${escaped(link)}">${escaped(link)}</a>`)
    .join('')}`,
});

/** A tree of pages: each one leads to `width` others until there are `most`. */
function tree(name: string, path: string, { width, most }: { width: number; most: number }): Reply {
  const number = Number(/(\d+)$/.exec(path)?.[1] ?? 0);
  if (number >= most) return { status: 404, body: 'not here' };
  const next = Array.from({ length: width }, (_, n) => number * width + n + 1);
  return page(
    `${name}, page ${number}`,
    next.filter((n) => n < most).map((n) => `/page/${n}`),
  );
}

const sites: Readonly<Record<string, (path: string) => Reply>> = {
  'example.org': (path) => tree('Example', path, { width: 4, most: 400 }),
  'museum.example': (path) => tree('Museum', path, { width: 9, most: 6_000 }),
  'press.example': (path) => tree('Press', path, { width: 3, most: 40 }),
  'ill.example'(path) {
    const number = Number(/(\d+)$/.exec(path)?.[1] ?? 0);
    if (number % 3 === 1) return { status: 500, body: 'broken' };
    return tree('Ill', path, { width: 5, most: 60 });
  },
  'busy.example'(path) {
    if (path !== '/') return { status: 429, body: 'slow down', headers: { 'retry-after': '300' } };
    return tree('Busy', path, { width: 5, most: 60 });
  },
  'hostile.example'(path) {
    const number = Number(/^\/page\/(\d+)/.exec(path)?.[1] ?? 0);
    const links = hostileStrings.map(
      (text, n) => `/page/${n + 1}?q=${encodeURIComponent(text.toWellFormed())}`,
    );
    return path === '/' ? page('Hostile', links) : page(hostileStrings[number - 1] ?? 'none', []);
  },
};

export async function openSites(address: string): Promise<Sites> {
  const requests = new Map<string, number>();
  const server: Server = createServer((request, response) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    requests.set(host, (requests.get(host) ?? 0) + 1);
    const path = request.url ?? '/';
    const isRobots = path === '/robots.txt';
    const {
      status,
      body,
      headers = {},
    } = isRobots ? { status: 404, body: '' } : (sites[host]?.(path) ?? { status: 404, body: 'no such site' });
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
  });
  await new Promise<void>((done) => server.listen(80, address, done));
  return {
    names: Object.keys(sites),
    requests,
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}
