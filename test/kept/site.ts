import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

/** What a page of the made site is, seen by somebody who knows it. */
export interface MadePage {
  path: string;
  /** In crawl 1, 2, 3 of a chain; undefined: 404. */
  body(crawl: number): string | Buffer | undefined;
  type?: string;
  /** Answers 304 to its own ETag. */
  validates?: boolean;
  headers?: Record<string, string>;
  status?: number;
  gzip?: boolean;
  /** Says that it is not to be kept. */
  noarchive?: boolean;
  /** Markdown is made of it. */
  isText?: boolean;
}

/** A request for a page, and what was answered. */
export interface Answered {
  method: string;
  path: string;
  crawl: number;
  status: number;
  /** As it went out: packed where it was packed. */
  body: Buffer;
}

export interface MadeSite {
  origin: string;
  pages: ReadonlyMap<string, MadePage>;
  /** Which crawl of the chain asks from now on. */
  crawl: number;
  answered: Answered[];
  stop(): Promise<void>;
}

export const labMaxBody = 20_000;

const words = (name: string, n = 0) =>
  `<title>${name}</title><main><h1>${name}</h1><p>The text of ${name}${n === 0 ? '' : `, number ${n}`}.</p>`;
const same = `${words('twins')}${`<p>${'alike in every byte. '.repeat(10)}</p>`.repeat(20)}`;
const feed =
  '<?xml version="1.0"?><rss version="2.0"><channel><title>news</title><link>/</link><item><title>First news</title><link>/of-feed</link><description>The text of feed.xml.</description></item></channel></rss>';
const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(3_000, 7)]);

/** One of each kind of answer that decides whether and how something is kept. */
function madePages(outside: string): MadePage[] {
  const pages: MadePage[] = [
    { path: '/steady', body: () => `${words('steady')}<a href="/below-steady">below</a>`, validates: true },
    { path: '/below-steady', body: () => words('below steady'), validates: true },
    { path: '/plain', body: () => words('plain') },
    { path: '/changes', body: (crawl) => words('changes', Math.min(crawl, 2)), validates: true },
    { path: '/always-new', body: (crawl) => words('always new', crawl) },
    { path: '/gone', body: (crawl) => (crawl === 1 ? words('gone') : undefined), validates: true },
    { path: '/late', body: (crawl) => (crawl > 1 ? words('late') : undefined), validates: true },
    { path: '/twin-a', body: () => same, validates: true },
    { path: '/twin-b', body: () => same, validates: true },
    { path: '/twin-gone', body: (crawl) => (crawl === 1 ? same : undefined), validates: true },
    { path: '/packed', body: () => words('packed').repeat(50), validates: true, gzip: true },
    {
      path: '/cut',
      body: () => `${words('cut')}${'<p>long</p>'.repeat(4_000)}<a href="/behind">behind</a>`,
      validates: true,
    },
    { path: '/empty', body: () => '', validates: true },
    { path: '/feed.xml', body: () => feed, type: 'application/rss+xml', validates: true },
    { path: '/of-feed', body: () => words('of feed'), validates: true },
    { path: '/notes.txt', body: () => 'The text of notes.', type: 'text/plain', validates: true },
    { path: '/image.png', body: () => png, type: 'image/png', validates: true },
    { path: '/style.css', body: () => 'p{color:red}', type: 'text/css', validates: true },
    {
      path: '/secret',
      body: () => words('secret'),
      validates: true,
      noarchive: true,
      headers: { 'x-robots-tag': 'noarchive' },
    },
    {
      path: '/secret-meta',
      body: () => `<meta name="robots" content="noarchive">${words('secret meta')}`,
      validates: true,
      noarchive: true,
    },
    {
      path: '/secret.png',
      body: () => Buffer.concat([png, Buffer.from('secret')]),
      type: 'image/png',
      validates: true,
      noarchive: true,
      headers: { 'x-robots-tag': 'noarchive' },
    },
    { path: '/missing', body: () => words('missing'), status: 404 },
    {
      path: '/missing-secret',
      body: () => words('missing secret'),
      status: 404,
      noarchive: true,
      headers: { 'x-robots-tag': 'noarchive' },
    },
    { path: '/broken', body: () => words('broken'), status: 500 },
    { path: '/moved', body: () => words('moved'), status: 301, headers: { location: '/steady' } },
    { path: '/film.mp4', body: () => Buffer.alloc(100), type: 'video/mp4' },
    { path: '/unreadable', body: () => words('unreadable'), headers: { 'content-encoding': 'compress' } },
  ];
  const images = ['/image.png', '/secret.png'].map((path) => `<img src="${path}">`).join('');
  const links = pages.map(({ path }) => `<a href="${path}">${path}</a>`).join(' ');
  const head = `<link rel="stylesheet" href="/style.css">${words('front')}${images}`;
  pages.unshift({
    path: '/',
    body: (crawl) => `${head}<p>Crawl ${crawl}</p>${links}<a href="${outside}/there">outside</a>`,
  });
  for (const page of pages) page.isText = /html|xml|plain/.test(page.type ?? 'text/html');
  return pages;
}

/** Starts the site, and another one that it only links to. */
export async function startSite(): Promise<MadeSite> {
  const outside = createServer((_request, response) => response.end('outside'));
  const outsideOrigin = await listen(outside, '127.0.0.2');
  const pages = new Map(madePages(outsideOrigin).map((page) => [page.path, page]));
  const server = createServer((request, response) => answer(site, request, response));
  const site: MadeSite = {
    origin: await listen(server, '127.0.0.1'),
    pages,
    crawl: 1,
    answered: [],
    async stop() {
      await Promise.all([closed(server), closed(outside)]);
    },
  };
  return site;
}

function answer(
  site: MadeSite,
  { url: path = '/', method = 'GET', headers }: IncomingMessage,
  response: ServerResponse,
): void {
  const page = site.pages.get(path);
  const plain = page?.body(site.crawl);
  const say = (status: number, more: Record<string, string>, body: Buffer): void => {
    if (path !== '/robots.txt') site.answered.push({ method, path, crawl: site.crawl, status, body });
    response.writeHead(status, { ...more, 'content-length': String(body.length) });
    response.end(method === 'HEAD' ? undefined : body);
  };
  if (!page || plain === undefined)
    return say(404, { 'content-type': 'text/html' }, Buffer.from(words('nothing here')));
  const body = page.gzip ? gzipSync(plain) : Buffer.from(plain);
  const etag = `"${createHash('sha1').update(body).digest('hex')}"`;
  const more = { ...(page.validates ? { etag } : {}), ...page.headers };
  // As many servers do, it says nothing else with a 304.
  if (page.validates && headers['if-none-match'] === etag) {
    site.answered.push({ method, path, crawl: site.crawl, status: 304, body: Buffer.alloc(0) });
    response.writeHead(304, { etag }).end();
    return;
  }
  const type = { 'content-type': page.type ?? 'text/html' };
  say(page.status ?? 200, { ...type, ...(page.gzip ? { 'content-encoding': 'gzip' } : {}), ...more }, body);
}

async function listen(server: Server, host: string): Promise<string> {
  await new Promise<void>((done) => server.listen(0, host, done));
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

function closed(server: Server): Promise<void> {
  return new Promise((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });
}
