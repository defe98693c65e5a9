import { createServer, type Server } from 'node:http';
import { brotliCompressSync } from 'node:zlib';
import { hostileStrings } from './hostile-strings.ts';
import { figuresSite } from './figures-site.ts';
import { escaped, type Reply } from './reply.ts';
import { timesSite } from './times-site.ts';
import { naughtySite } from './naughty-site.ts';

/** Made-up sites for the console to show: large, small, ill, slow and hostile ones. */
export interface Sites {
  names: readonly string[];
  /** How often each site was asked for anything, robots.txt included. */
  requests: ReadonlyMap<string, number>;
  /** What owners have put on their sites, by host and path: it comes before what the site has. */
  put: Map<string, Reply>;
  /** From now on weekly.example is as it is a week later. */
  nextWeek(): void;
  stop(): Promise<void>;
}

const page = (title: string, links: readonly string[]): Reply => ({
  status: 200,
  body: `<!doctype html><html lang="en"><title>${escaped(title)}</title><h1>${escaped(title)}</h1>${links
    .map((link) => `<p><a href="${escaped(link)}">${escaped(link)}</a>`)
    .join('')}`,
});

const robots = (rule: string): Reply => ({
  status: 200,
  body: `User-agent: *\n${rule}\n`,
  headers: { 'content-type': 'text/plain' },
});
/** Told to whoever asks why a page was skipped. */
const hostileRule = 'Disallow: /secret/*$<img src=x onerror=window.__ran=1>\nDisallow: /secret/';

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

/** As most sites answer browsers. */
const packed = (reply: Reply): Reply => ({
  ...reply,
  body: brotliCompressSync(reply.body),
  headers: { ...reply.headers, 'content-encoding': 'br' },
});

/** A site of which a person wrote down what changes from one week to the next. */
export const weekly = {
  unchanged: ['/', '/about'],
  changed: ['/news'],
  gone: ['/deleted', '/unlinked'],
  added: ['/fresh', '/fresher'],
} as const;

function weeklyPage(path: string, isLater: boolean): Reply {
  const links = ['/about', '/news', '/deleted', '/fresh', '/fresher', '/unlinked'];
  // Both weeks have the same page of links, so that it is unchanged: a later page leads to what is new.
  if (path === '/') return page('Weekly', ['/about', '/news']);
  if (path === '/about') return page('About', []);
  if (path === '/news')
    return page(
      isLater ? 'News of today' : 'News of last week',
      isLater ? links.slice(2, 5) : ['/deleted', '/unlinked'],
    );
  const isThere = isLater ? path.startsWith('/fresh') : path === '/deleted' || path === '/unlinked';
  return isThere ? page(`The page ${path}`, []) : { status: 404, body: 'not here' };
}

/** Pages that are empty until their script has drawn them. */
export const gallery = [
  { path: '/', title: 'Catalogue', language: 'en' },
  { path: '/still-life', title: 'The still life', language: 'en' },
  { path: '/seestueck', title: 'Das Seestück', language: 'de' },
  { path: '/nature-morte', title: 'La nature morte', language: 'fr' },
] as const;
/** Of every page: what a picture of one shows. */
export const galleryColor = [18, 97, 128] as const;

function galleryPage(path: string): Reply {
  const found = gallery.find((each) => each.path === path);
  if (!found) return { status: 404, body: 'not here' };
  const links = gallery.map(
    (each) => `<p><a href="${each.path}">${each.title}</a> hangs in the long room.</p>`,
  );
  const drawn = `<main><h1>${found.title}</h1>${links.join('')}</main>`;
  const style = `background:rgb(${galleryColor.join()});color:white;font:28px/1.5 sans-serif;margin:60px`;
  return {
    status: 200,
    body: `<!doctype html><html lang="${found.language}"><title>${found.title}</title><body style="${style}"><script>document.body.innerHTML = ${JSON.stringify(drawn)}</script>`,
  };
}

let isLater = false;

const sites: Readonly<Record<string, (path: string) => Reply>> = {
  'naughty.example': naughtySite,
  'times.example': timesSite,
  'figures.example': figuresSite('figures.example'),
  'depot.example': figuresSite('depot.example'),
  'gallery.example': galleryPage,
  'weekly.example': (path) => weeklyPage(path, isLater),
  'example.org': (path) => tree('Example', path, { width: 4, most: 400 }),
  'attic.example': (path) => tree('Attic', path, { width: 1, most: 1 }),
  'garden.example': (path) => tree('Garden', path, { width: 9, most: 40_000 }),
  'library.example': (path) => tree('Library', path, { width: 9, most: 40_000 }),
  // Asked at a port at which nobody listens.
  'blight.example': () => ({ status: 404, body: 'not here' }),
  'orchard.example': (path) => tree('Orchard', path, { width: 9, most: 40_000 }),
  'reading.example': (path) => tree('Reading', path, { width: 2, most: 3 }),
  // So slow that its crawl runs for as long as anyone looks.
  'packed.example': (path) => packed(tree('Packed', path, { width: 2, most: 40_000 })),
  'museum.example': (path) => tree('Museum', path, { width: 9, most: 40_000 }),
  'press.example': (path) => tree('Press', path, { width: 3, most: 40 }),
  'ill.example'(path) {
    if (path === '/robots.txt') return robots('Disallow: /private/');
    if (path === '/')
      return page('Ill', ['/page/1', '/page/2', '/page/3', '/page/4', '/page/5', '/private/a', '/private/b']);
    const number = Number(/(\d+)$/.exec(path)?.[1] ?? 0);
    if (number % 3 === 1) return { status: 500, body: 'broken' };
    return tree('Ill', path, { width: 5, most: 60 });
  },
  'busy.example'(path) {
    if (path !== '/') return { status: 429, body: 'slow down', headers: { 'retry-after': '300' } };
    return tree('Busy', path, { width: 5, most: 60 });
  },
  // Its members have a site of their own, at another port.
  'club.example': () => ({ status: 404, body: 'members only' }),
  'hostile.example'(path) {
    if (path === '/robots.txt') return robots(hostileRule);
    const number = Number(/^\/page\/(\d+)/.exec(path)?.[1] ?? 0);
    const links = hostileStrings.map(
      (text, n) => `/page/${n + 1}?q=${encodeURIComponent(text.toWellFormed())}`,
    );
    if (path === '/') return page('Hostile', [...links, '/secret/1']);
    const title = hostileStrings[number - 1] ?? 'none';
    return { ...page(title, []), headers: { 'x-title': title.replaceAll(/[^\x20-\x7e]/g, '') } };
  },
};

const withRobots = new Set(['ill.example', 'hostile.example', 'naughty.example', 'figures.example']);

function answerOf(host: string, path: string): Reply {
  if (path === '/robots.txt' && !withRobots.has(host)) return { status: 404, body: '' };
  return sites[host]?.(path) ?? { status: 404, body: 'no such site' };
}

export async function openSites(address: string): Promise<Sites> {
  const requests = new Map<string, number>();
  const put = new Map<string, Reply>();
  const server: Server = createServer((request, response) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    requests.set(host, (requests.get(host) ?? 0) + 1);
    const path = request.url ?? '/';
    const { status, body, headers = {} } = put.get(host + path) ?? answerOf(host, path);
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
  });
  await new Promise<void>((done) => server.listen(80, address, done));
  return {
    names: Object.keys(sites),
    requests,
    nextWeek: () => void (isLater = true),
    put,
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}
