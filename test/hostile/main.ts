import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDns } from '../fake-web/dns.ts';
import { type BadServer, reply } from './bad-server.ts';
import { bombServers } from './bombs.ts';
import { goodPage } from './good.ts';
import { malformedServers } from './malformed.ts';
import { misleadingServers, wildServer } from './misleading.ts';
import { monsterServers } from './monsters.ts';
import { slowServers } from './slow.ts';
import { tlsServers } from './tls.ts';
import { wishServers } from './wishes.ts';

/**
 * Runs either all bad servers or all good hosts, so that neither shares an event loop with the other or with the
 * crawler. Each has an address of its own in 127.0.0.0/8; the name server beside the good hosts knows them all.
 */
export interface WebOptions {
  /** 0: this process runs the bad servers. */
  goodHosts: number;
  pagesPerHost: number;
  /** Every n-th bad server of each kind only. */
  every: number;
  copies?: number;
  /** Names that others serve, with their addresses. */
  others?: Record<string, string>;
}

export interface BadHost {
  name: string;
  url: string;
  expects: readonly string[];
  onRobots: boolean;
  pagesAllowed: boolean;
}

export interface Ready {
  dns: string;
  addresses: Record<string, string>;
  good: string[];
  bad: BadHost[];
}

export interface Seen {
  /** When each page of a good host was answered, in ms of the wall clock. */
  goodAtMs: number[];
  /** The first and the last time that a bad server was asked for something. */
  harm: { fromMs: number; toMs: number };
  /** Requests for what must not be asked for: pages of hosts that showed no rules, links not to be followed. */
  forbidden: string[];
  contacted: number;
}

interface Host {
  name: string;
  bad?: BadServer;
}

const options = JSON.parse(process.argv[2] ?? '{}') as WebOptions;
const folder = mkdtempSync(join(tmpdir(), 'webfarer-hostile-web-'));
const hosts = new Map<string, Host>();
const addresses = new Map<string, string>();
const servers: Server[] = [];
const nothingSeen = () => ({
  good: [] as number[],
  harmFrom: 0,
  harmTo: 0,
  forbidden: new Set<string>(),
  contacted: new Set<string>(),
});
let seen = nothingSeen();
const nowMs = (): number => performance.timeOrigin + performance.now();
let port = 0;

const nameOf = (server: string, copy = 0): string => `${server}${copy === 0 ? '' : `-${copy}`}.hostile.test`;

async function addHost(host: Host, number: number): Promise<void> {
  const address = `127.${host.bad ? 66 : 67}.${number >> 8}.${number & 255}`;
  hosts.set(address, host);
  addresses.set(host.name, address);
  const server = createServer((socket) => serve(socket, host));
  servers.push(server);
  await new Promise<void>((done, failed) => {
    server.once('error', failed);
    server.listen(port, address, () => done());
  });
  if (port === 0) port = (server.address() as { port: number }).port;
}

function serve(socket: Socket, host: Host): void {
  socket.on('error', () => socket.destroy());
  seen.contacted.add(host.name);
  if (host.bad?.greet?.(socket)) return;
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
      const [, path = '/'] = text.split(' ', 2);
      text = text.slice(end + 4);
      if (host.bad) attack(socket, host, host.bad, path);
      else welcome(socket, path);
    }
  });
}

function attack(socket: Socket, host: Host, bad: BadServer, path: string): void {
  const aboutRobots = path.startsWith('/robots.txt');
  seen.harmTo = nowMs();
  seen.harmFrom ||= seen.harmTo;
  const isForbidden = bad.onRobots ? !aboutRobots && !bad.pagesAllowed : bad.forbidden?.test(path);
  if (isForbidden) seen.forbidden.add(`${host.name}${path}`);
  if (bad.onRobots === true) return aboutRobots ? bad.answer(socket, path, host.name) : reply(socket, 'page');
  if (!aboutRobots) return bad.answer(socket, path, host.name);
  reply(socket, bad.robots ?? '', { status: bad.robots === undefined ? 404 : 200, type: 'text/plain' });
}

function welcome(socket: Socket, path: string): void {
  if (path === '/robots.txt') return reply(socket, '', { status: 404 });
  socket.write(goodPage(path, options.pagesPerHost), () => seen.good.push(nowMs()));
}

function chosen(all: BadServer[]): BadServer[] {
  return all.filter((_, n) => n % options.every === 0);
}

async function badServers(): Promise<BadServer[]> {
  const tls = await tlsServers(folder, nameOf);
  const kinds = [
    slowServers,
    malformedServers,
    bombServers,
    monsterServers,
    misleadingServers,
    wishServers,
    tls,
  ];
  return kinds.flatMap(chosen);
}

/** Names without end under one domain; they all lead to one host. */
const wildName = 'wildcard.test';
const isGood = options.goodHosts > 0;
const bad = isGood ? [] : await badServers();
const { copies = 1 } = options;
let number = 1;
for (let n = 0; n < options.goodHosts; n++) await addHost({ name: `good${n}.test` }, number++);
for (const server of bad) server.prepare?.();
for (let copy = 0; copy < copies; copy++) {
  for (const server of bad) await addHost({ name: nameOf(server.name, copy), bad: server }, number++);
}
if (!isGood) await addHost({ name: wildName, bad: wildServer }, number++);
for (const [name, address] of Object.entries(options.others ?? {})) addresses.set(name, address);

const dns = createDns(
  (name) =>
    addresses.get(name) ?? (/\.(?:hostile|wildcard)\.test$/.test(name) ? addresses.get(wildName) : undefined),
);
await dns.start(port);

process.on('message', (what: 'seen' | 'reset' | 'stop') => {
  if (what === 'seen') {
    const { good, harmFrom, harmTo, forbidden, contacted } = seen;
    process.send?.({
      goodAtMs: good,
      harm: { fromMs: harmFrom, toMs: harmTo },
      forbidden: [...forbidden],
      contacted: contacted.size,
    } satisfies Seen);
  } else if (what === 'reset') {
    seen = nothingSeen();
    process.send?.('reset');
  } else {
    rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  }
});
process.on('disconnect', () => process.exit(0));

const ready: Ready = {
  dns: `127.0.0.1:${port}`,
  addresses: Object.fromEntries(addresses),
  good: Array.from({ length: options.goodHosts }, (_, n) => `http://good${n}.test:${port}/`),
  bad: Array.from({ length: copies }, (_, copy) => bad.map((server) => described(server, copy))).flat(),
};
process.send?.(ready);

function described(server: BadServer, copy: number): BadHost {
  const { name, expects, onRobots = false, pagesAllowed = false, secure = false, path = '/' } = server;
  const url = `${secure ? 'https' : 'http'}://${nameOf(name, copy)}:${port}${path}`;
  return { name: nameOf(name, copy), url, expects, onRobots, pagesAllowed };
}
