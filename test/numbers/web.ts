import { createServer, type Server, type ServerResponse } from 'node:http';
import { createDns } from '../fake-web/dns.ts';
import { publicAddress } from '../install/own-network.ts';

/** A request as the site saw it. */
export interface Logged {
  host: string;
  path: string;
  /** 0 while nothing was answered. */
  status: number;
  /** Of the body. */
  bytes: number;
  startedAtMs: number;
  endedAtMs: number;
}

/** What kind of site a name is, and so which state a crawl of it comes to. */
export const kinds = {
  /** Ends: every kind of outcome once or more. */
  whole: 'whole.example',
  /** One answer does not come until it is released, and URLs wait behind it. */
  stuck: 'stuck.example',
  paused: 'paused.example',
  stopped: 'stopped.example',
  limited: 'limited.example',
  /** Answers 503 with a Retry-After of ten minutes. */
  busy: 'busy.example',
  /** robots.txt allows nothing. */
  closed: 'closed.example',
  /** Is stuck, too; looked at in a terminal. */
  local: 'local.example',
} as const;
export type Kind = keyof typeof kinds;

const waits: readonly string[] = [kinds.stuck, kinds.local, kinds.paused, kinds.stopped];
const plain = ['/page/1', '/page/2', '/page/3', '/page/4', '/page/5'];
/** In the order in which they are queued. The one that waits is the last of those that `/` leads to. */
const fromHome = [...plain, '/gone/1', '/gone/2', '/moved', '/loop/a', '/error', '/secret/1', '/wait'];
const fromPage = (path: string): string[] => (path === '/page/1' ? ['/deep/1', '/deep/2', '/deep/3'] : []);

export const outside = 'http://outside.example/';

interface Made {
  status: number;
  body: string;
  headers?: Record<string, string>;
}

const page = (links: readonly string[]): Made => ({
  status: 200,
  body: `<!doctype html><title>page</title><p>Some text.</p>${links.map((to) => `<a href="${to}">to</a>`).join('')}`,
});

function answerOf(host: string, path: string): Made {
  if (path === '/robots.txt') {
    const rule = host === kinds.closed ? 'Disallow: /' : 'Disallow: /secret/';
    return { status: 200, body: `User-agent: *\n${rule}\n`, headers: { 'content-type': 'text/plain' } };
  }
  if (host === kinds.busy && path !== '/')
    return { status: 503, body: 'busy', headers: { 'retry-after': '600' } };
  if (path === '/') return page([...fromHome, outside]);
  if (path.startsWith('/page/') || path.startsWith('/deep/') || path === '/wait')
    return page([...fromPage(path), outside]);
  if (path === '/moved') return { status: 301, body: '', headers: { location: '/page/1' } };
  if (path === '/loop/a') return { status: 302, body: '', headers: { location: '/loop/b' } };
  if (path === '/loop/b') return { status: 302, body: '', headers: { location: '/loop/a' } };
  if (path === '/error') return { status: 500, body: 'an error' };
  return { status: 404, body: 'not here' };
}

/** Sites with a log of what was asked and answered, which is the truth that every number is compared with. */
export interface Web {
  log: readonly Logged[];
  /** Lets the answers go that wait. */
  release(host: string): void;
  stop(): Promise<void>;
}

export async function openWeb(): Promise<Web> {
  const log: Logged[] = [];
  const held = new Map<string, (() => void)[]>();
  const released = new Set<string>();
  const server: Server = createServer((request, response) => {
    const [host = ''] = (request.headers.host ?? '').split(':');
    const path = request.url ?? '/';
    const entry: Logged = { host, path, status: 0, bytes: 0, startedAtMs: Date.now(), endedAtMs: 0 };
    log.push(entry);
    const send = () => answer(response, answerOf(host, path), entry);
    if (path !== '/wait' || !waits.includes(host) || released.has(host)) return send();
    held.set(host, [...(held.get(host) ?? []), send]);
  });
  await new Promise<void>((done) => server.listen(80, publicAddress, done));
  const names: readonly string[] = Object.values(kinds);
  const dns = createDns((name) => (names.includes(name) ? publicAddress : undefined));
  await dns.start(53);
  return {
    log,
    release(host) {
      released.add(host);
      for (const send of held.get(host) ?? []) send();
    },
    async stop() {
      await dns.stop();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function answer(response: ServerResponse, { status, body, headers }: Made, entry: Logged): void {
  // What a client went away from was not answered.
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'text/html', ...headers, 'content-length': body.length });
  response.end(body, () => Object.assign(entry, { status, bytes: body.length, endedAtMs: Date.now() }));
}

/** What must be shown of a crawl of a site, from the log alone. */
export interface Truth {
  known: number;
  /** Known, without an outcome: queued and leased. */
  open: number;
  done: number;
  failed: number;
  refused: number;
  errorAnswers: number;
  brokenLinks: number;
  inFlight: number;
  bytes: number;
  outOfScope: number;
}

export function truthOf(log: readonly Logged[], host: string): Truth {
  const asked = log.filter((entry) => entry.host === host && entry.path !== '/robots.txt');
  const answered = asked.filter(({ endedAtMs }) => endedAtMs > 0);
  const pages = answered.filter(({ status }) => status === 200);
  const known = new Set(['/', ...asked.map(({ path }) => path)]);
  for (const { path } of pages) for (const link of path === '/' ? fromHome : fromPage(path)) known.add(link);
  for (const { path, status } of answered)
    if (path.startsWith('/loop/') && status === 302) known.add('/loop/b');
  const isClosed = host === kinds.closed;
  const refused = [...known].filter((path) => isClosed || (path === '/secret/1' && isSettled(path, asked)));
  const errors = answered.filter(({ status }) => status >= 400 && status < 500).length;
  // A 503 with a Retry-After is tried again: it is no outcome.
  const failed = answered.filter(({ status }) => status === 500);
  const outcomes = answered.filter(({ status }) => status !== 503);
  const done = outcomes.length - failed.length;
  const circles = answered.filter(({ path }) => path.startsWith('/loop/')).length;
  return {
    known: known.size,
    open: known.size - done - failed.length - refused.length,
    done,
    failed: failed.length,
    refused: refused.length,
    errorAnswers: errors,
    brokenLinks: errors + failed.length + circles,
    inFlight: asked.length - answered.length,
    bytes: outcomes.reduce((sum, { bytes }) => sum + bytes, 0),
    outOfScope: pages.length,
  };
}

/** It is refused in its turn: once something was asked for that was queued behind it. */
function isSettled(path: string, asked: readonly Logged[]): boolean {
  const turn = fromHome.indexOf(path);
  return asked.some((entry) => fromHome.indexOf(entry.path) > turn || entry.path.startsWith('/deep/'));
}
