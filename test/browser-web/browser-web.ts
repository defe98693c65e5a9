import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createDns } from '../fake-web/dns.ts';
import { freePorts } from '../redis/server-process.ts';
import { type Elsewhere, htmlOf, ownScripts, scriptsElsewhere } from './html.ts';
import { pagesOfSite, type TruePage } from './pages.ts';

export interface BrowserWebOptions {
  pages: number;
  sites: number;
  /** What else its sites serve, by path: pages that harm a browser, say. */
  more?: (path: string, request: IncomingMessage, response: ServerResponse) => boolean;
}

/** One request as the server saw it; times only ever make a pause look longer than it was. */
export interface Seen {
  host: string;
  path: string;
  method: string;
  startMs: number;
  /** Just before the last bytes; infinite while under way. */
  endMs: number;
  /** A page asked for it, not the crawler itself. */
  byPage: boolean;
}

/** A web of pages that need a browser and pages that do not, whose truth is known without one. */
export interface BrowserWeb {
  seeds: string[];
  /** By URL. */
  pages: ReadonlyMap<string, TruePage>;
  /** Names of the sites; all other hosts serve only parts of pages. */
  isSite(host: string): boolean;
  urlOf(page: Pick<TruePage, 'site'>, path: string): string;
  /** What a job needs to reach it. */
  fetch: { dns: string[]; allowPrivate: string[] };
  /** Requests since the start or the last time. */
  takeLog(): Seen[];
  /** Resolves at the request that is this many after now. */
  after(requests: number): Promise<void>;
  stop(): Promise<void>;
}

const domain = 'browser.test';
const others = ['cdn', 'tracker', 'consent'] as const;
const kept = { 'cache-control': 'public, max-age=3600' };
const slowMs = 150;
const imageMs = 15;

export async function startBrowserWeb({ pages: count, sites, more }: BrowserWebOptions): Promise<BrowserWeb> {
  let log: Seen[] = [];
  let requests = 0;
  let waiting: { at: number; resolve: () => void } | undefined;
  const names = [...Array.from({ length: sites }, (_, n) => `site${n}`), ...others];
  const addresses = new Map(names.map((name, n) => [`${name}.${domain}`, `127.2.0.${n + 1}`]));
  const server = createServer((request, response) => {
    const [name = ''] = (request.headers.host ?? '').split('.', 1);
    const { url: path = '', method = '' } = request;
    // The crawler names no page that sent it.
    const byPage = request.headers.referer !== undefined;
    const [startMs, endMs] = [performance.now(), Number.POSITIVE_INFINITY];
    const seen: Seen = { host: `${name}.${domain}`, path, method, startMs, endMs, byPage };
    log.push(seen);
    requests += 1;
    if (waiting && requests >= waiting.at) waiting.resolve();
    response.once('close', () => (seen.endMs = Math.min(seen.endMs, performance.now())));
    const end = (): void => void (seen.endMs = performance.now());
    if (more?.(path, request, response)) return;
    answer(name, path, reply(response, end));
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.keepAliveTimeout = 30_000;
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  const dns = createDns((name) => addresses.get(name));
  const [dnsPort = 0] = await freePorts('127.0.0.1', 1);
  await dns.start(dnsPort);
  const origin = (name: string) => `http://${name}.${domain}:${port}`;
  const elsewhere: Elsewhere = { cdn: origin('cdn'), tracker: origin('tracker'), consent: origin('consent') };
  const scripts = scriptsElsewhere(elsewhere.tracker);
  const urlOf: BrowserWeb['urlOf'] = ({ site }, path) => `${origin(`site${site}`)}${path}`;
  const all = Array.from({ length: sites }, (_, site) => pagesOfSite(site, share(count, sites, site))).flat();
  const pages = new Map(all.map((page) => [urlOf(page, page.path), page]));
  const views = new Map(
    all.filter(({ kind }) => kind !== 'framed').map((page) => [`${page.site} ${page.number}`, page]),
  );

  function answer(name: string, path: string, send: Reply): void {
    const other = others.find((each) => each === name);
    if (path === '/robots.txt')
      return send(
        'text/plain',
        name === 'tracker' ? 'User-agent: *\nDisallow: /collect\n' : 'User-agent: *\nAllow: /\n',
      );
    if (other) {
      const script = scripts[other][path];
      if (script !== undefined) return send('text/javascript', script, kept);
      if (path.startsWith('/pixel.svg')) return send('image/svg+xml', image, { 'cache-control': 'no-store' });
      return send(undefined, '');
    }
    const page = pages.get(`${origin(name)}${path}`);
    if (page) return send('text/html; charset=utf-8', htmlOf(page, elsewhere));
    if (path === '/privacy')
      return send('text/html', '<!doctype html><title>Privacy</title><p>None is left.</p>');
    const [, what = '', which = '', rest = ''] = path.split('/');
    const view = (number: string) => views.get(`${name.slice(4)} ${number}`);
    if (what === 'static' && ownScripts[which.slice(0, -3)] !== undefined)
      return send('text/javascript', ownScripts[which.slice(0, -3)] as string, kept);
    if (what === 'img') return send('image/svg+xml', image, { 'cache-control': 'no-store' }, imageMs);
    if (what !== 'api') return send(undefined, '');
    const [number = '', from] = rest.split('?from=');
    const found = view(number);
    if (!found) return send(undefined, '');
    const { texts, links } = found;
    const part = from === undefined ? { texts, links } : partOf(found, Number(from));
    send('application/json', JSON.stringify(part), {}, which === 'slow' ? slowMs : 0);
  }

  return {
    seeds: Array.from({ length: sites }, (_, site) => urlOf({ site }, '/')),
    pages,
    isSite: (host) => host.startsWith('site'),
    urlOf,
    fetch: { dns: [`127.0.0.1:${dnsPort}`], allowPrivate: ['127.0.0.0/8'] },
    takeLog() {
      const taken = log;
      log = [];
      return taken;
    },
    after: (count_) => new Promise((resolve) => (waiting = { at: requests + count_, resolve })),
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await dns.stop();
    },
  };
}

const image = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>';

/** Batches of an endless list: a sentence and two links each, while there are any. */
function partOf({ texts, links }: TruePage, from: number) {
  const more = from + 1 < texts.length || (from + 1) * 2 < links.length;
  return { texts: texts.slice(from, from + 1), links: links.slice(from * 2, from * 2 + 2), more };
}

function share(count: number, sites: number, site: number): number {
  return Math.floor(count / sites) + (site < count % sites ? 1 : 0);
}

/** Without a type it is not there. */
type Reply = (
  type: string | undefined,
  body: string,
  headers?: Record<string, string>,
  waitMs?: number,
) => void;

function reply(response: ServerResponse, end: () => void): Reply {
  return (type, body, headers = {}, waitMs = 0) => {
    const send = (): void => {
      end();
      response
        .writeHead(type === undefined ? 404 : 200, { 'content-type': type ?? 'text/plain', ...headers })
        .end(body);
    };
    if (waitMs === 0) send();
    else setTimeout(send, waitMs);
  };
}
