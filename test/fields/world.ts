import { createSocket } from 'node:dgram';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { createServer as createListener, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openSender } from '../api/send.ts';
import { urlOf } from '../api/world.ts';
import { type NetworkProcess, networkProcess } from '../network/process.ts';
import { until } from '../prove/lab.ts';
import type { Fragment, Lures } from './bodies.ts';

export interface Answer {
  status: number;
  /** Of the problem document. */
  code: string | undefined;
  body: Fragment;
}

/** Who asks. Two teams that do not trust each other. */
export const roles = ['viewer', 'operator', 'other', 'admin'] as const;
export type Role = (typeof roles)[number];
export const teamOfRole: Record<Role, string> = {
  viewer: 'team-a',
  operator: 'team-a',
  other: 'team-b',
  admin: 'default',
};

/** A site that notes what it is asked for, and with which headers. */
export interface NotingSite {
  origin: string;
  /** The same pages on hosts of their own, the first one among them. */
  origins: readonly string[];
  asked: { path: string; headers: IncomingHttpHeaders }[];
  stop(): void;
}

/** What must not happen, as others would see it. */
export interface Traps {
  lures: Lures;
  /** Connections and packets that reached the listener. */
  reached(): number;
  /** Files in the folder that no job may write to. */
  written(): string[];
  stop(): void;
}

export interface FieldsWorld extends Traps {
  coordinator: NetworkProcess;
  site: NotingSite;
  ask(role: Role, method: string, path: string, body?: unknown): Promise<Answer>;
  close(): void;
}

const pages = 60;

/** Each at an address of its own: crawls of one host take turns, and wait for it together after trouble. */
export const addresses = {
  site: '127.0.0.1',
  neighbour: '127.0.0.2',
  listener: '127.0.0.3',
  /** Further hosts of the site: hundreds of crawls on one would wait for its pause for minutes. */
  more: Array.from({ length: 31 }, (_, n) => `127.0.1.${n + 1}`),
} as const;

export async function openSite(address: string, more: readonly string[] = []): Promise<NotingSite> {
  const asked: NotingSite['asked'] = [];
  const links = Array.from({ length: pages }, (_, n) => `<a href="/page-${n}">${n}</a>`).join(' ');
  const open = async (host: string, port: number) => {
    const server = createServer((request, response) => {
      const path = request.url ?? '';
      asked.push({ path, headers: request.headers });
      if (path === '/robots.txt') response.writeHead(404).end();
      else response.setHeader('content-type', 'text/html').end(`<main><p>${path}</p>${links}</main>`);
    });
    await new Promise<void>((done) => server.listen(port, host, done));
    return server;
  };
  const first = await open(address, 0);
  const { port } = first.address() as AddressInfo;
  const servers = [first, ...(await Promise.all(more.map((host) => open(host, port))))];
  const origins = [address, ...more].map((host) => `http://${host}:${port}`);
  return {
    origin: `http://${address}:${port}`,
    origins,
    asked,
    stop() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

/** Of a site with its first page. */
export const allPages = pages + 1;

async function setTraps(under: string, site: string): Promise<Traps> {
  let count = 0;
  const listener = createListener((socket) => {
    count++;
    socket.on('error', () => undefined).destroy();
  });
  await new Promise<void>((done) => listener.listen(0, addresses.listener, done));
  const { port } = listener.address() as AddressInfo;
  const packets = createSocket('udp4');
  packets.on('message', () => count++);
  await new Promise<void>((done) => packets.bind(port, addresses.listener, done));
  const folder = join(under, 'outside');
  mkdirSync(folder);
  const file = join(under, 'secret.txt');
  // Read as seeds, it would have the site asked for a page that nothing else names.
  writeFileSync(file, `${site}/from-the-secret-file\n`);
  return {
    lures: { site, file, folder, listener: `${addresses.listener}:${port}` },
    reached: () => count,
    written: () => (existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String) : []),
    stop() {
      listener.close();
      packets.close();
    },
  };
}

/** A coordinator with a worker as an admin starts one, and what would show that somebody reached further. */
export async function openFieldsWorld(
  under: string,
  { command, others = [] }: { command?: string; others?: readonly NotingSite[] } = {},
): Promise<FieldsWorld> {
  mkdirSync(under, { recursive: true });
  const site = await openSite(addresses.site, addresses.more);
  const traps = await setTraps(under, site.origin);
  const storages = join(under, 'storages.json');
  const store = join(under, 'archive-store');
  writeFileSync(storages, JSON.stringify({ archive: { at: `file://${store}` } }));
  const folder = join(under, 'data');
  const coordinator = networkProcess({
    name: 'coordinator',
    folder,
    command,
    words: () =>
      `coordinator --data ${folder} --listen 127.0.0.1:0 --with-worker --storages ${storages}`.split(' '),
    env: { WEBFARER_TYPE_LAB: 'typed-secret' },
    atWork: (printed) => /^Listening on /m.test(printed),
  });
  await coordinator.start();
  const url = urlOf(coordinator);
  const admin = readFileSync(join(folder, 'operator.token'), 'utf8').trim();
  const sender = openSender(url);
  const tokens: Record<Role, string> = { viewer: '', operator: '', other: '', admin };

  async function ask(role: Role, method: string, path: string, body?: unknown): Promise<Answer> {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const { status, text } = await sender.send({
      method,
      path,
      headers: { authorization: `Bearer ${tokens[role]}`, ...json },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (text === '' ? {} : JSON.parse(text)) as Fragment;
    return { status, code: answer['code'] as string | undefined, body: answer };
  }

  const world = { ...traps, coordinator, site, ask, close: sender.close };
  for (const role of ['viewer', 'operator', 'other'] as const) {
    const scope = role === 'other' ? 'operator' : role;
    const { body } = await ask('admin', 'POST', '/v1/tokens', { scope, team: teamOfRole[role] });
    tokens[role] = String(body['token']);
  }
  // What lets the teams crawl the site of this machine at all.
  const lab = { fetch: { allowPrivate: [site, ...others].flatMap(({ origins }) => origins) } };
  await must(world, 'admin', 'PUT', '/v1/policies/lab', { policy: lab, users: ['*'] });
  return world;
}

export async function closeFieldsWorld(world: FieldsWorld): Promise<void> {
  world.close();
  await world.coordinator.kill();
  world.site.stop();
  world.stop();
}

/** For what the proof itself needs. */
export async function must(
  { ask }: Pick<FieldsWorld, 'ask'>,
  ...[role, method, path, body]: Parameters<FieldsWorld['ask']>
): Promise<Fragment> {
  const answer = await ask(role, method, path, body);
  if (answer.status >= 200 && answer.status < 300) return answer.body;
  throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
}

export async function untilOver(world: Pick<FieldsWorld, 'ask'>, crawl: string): Promise<Fragment> {
  let last: Fragment = {};
  await until(
    `the crawl ${crawl} to end`,
    async () => {
      last = await must(world, 'admin', 'GET', `/v1/crawls/${crawl}`);
      if (last['state'] === 'failed') throw new Error(`${crawl} failed: ${JSON.stringify(last['failure'])}`);
      return last['state'] === 'finished' || last['state'] === 'limited';
    },
    120_000,
  );
  return last;
}
