import { readFileSync } from 'node:fs';
import { open, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobInput } from '@webfarer/protocol';
import { createDns } from '../fake-web/dns.ts';
import { monotonicNs } from '../fake-web/request-log.ts';
import { makeDisk } from '../prove/loop-disk.ts';
import { until } from '../prove/lab.ts';
import { type RedisServers, startRedis } from '../redis/servers.ts';
import type { Screen } from './screen.ts';
import { closedPort, type Site, type SiteOptions, startSite } from './site.ts';

/** A crawl in which a cause of standing still is made real. */
export interface Setting {
  job: Partial<JobInput>;
  store?: string;
  /** Default 1. */
  workers?: number;
  workerWords?: string[];
  /** Folders, where they are not beside the others. */
  data?: string;
  workerFolder?: string;
  /** Makes it real, or waits until it is; answers since when, by facts outside the product. */
  happens(lab: { screen: Screen; folder: string }): Promise<number>;
  stop(): Promise<void>;
}

export interface Cause {
  /** As in the table of causes. */
  cause: string;
  /** What a person reads. */
  screen: RegExp;
  ready: 200 | 503;
  make(under: string): Promise<Setting>;
}

const PATIENCE_MS = 60_000;
const LONG = '40s';

async function firstOf(times: () => readonly number[], what: string, n = 1): Promise<number> {
  await until(what, () => times().length >= n, PATIENCE_MS);
  return times()[n - 1] as number;
}

function onSite(
  options: SiteOptions,
  job: (site: Site) => Partial<JobInput>,
  real?: (site: Site, lab: { folder: string }) => Promise<number>,
) {
  return async (): Promise<Setting> => {
    const site = await startSite(options);
    return {
      job: { seeds: [site.url()], ...job(site) },
      happens: (lab) => (real ? real(site, lab) : firstOf(() => site.askedAtNs, 'a request')),
      stop: () => site.stop(),
    };
  };
}

const pageAsked = async (site: Site) => {
  await until('a page', () => site.firstPageNs() !== undefined, PATIENCE_MS);
  return site.firstPageNs() as number;
};
const polite = { politeness: { gap: LONG, slowFactor: 0 } };
const brisk = { politeness: { gap: '10ms', slowFactor: 0 } };
const retries = { retries: { count: 3, backoff: LONG, deadAfter: 9 } };

/** From then on it is asked for. */
async function workerCame({ folder }: { folder: string }): Promise<number> {
  const joined = () => readFileSync(join(folder, 'events.jsonl'), 'utf8').includes('worker-joined');
  await until('a worker to connect', joined, PATIENCE_MS);
  return monotonicNs();
}

/** Nobody answers there: known as soon as a worker could have tried. */
async function nowhere(url: (port: number) => string, fetch: JobInput['fetch'] = {}): Promise<Setting> {
  const port = await closedPort();
  return {
    job: { seeds: [url(port)], fetch: { ...retries, ...fetch } },
    happens: workerCame,
    stop: async () => undefined,
  };
}

async function onStore(
  servers: { replicasEach?: number },
  real: (redis: RedisServers) => Promise<unknown>,
): Promise<Setting> {
  const redis = await startRedis(servers);
  const site = await startSite();
  return {
    job: { seeds: [site.url()], politeness: { gap: '300ms', slowFactor: 0 } },
    store: redis.url,
    async happens() {
      await firstOf(() => site.askedAtNs, 'several requests', 4);
      await real(redis);
      return monotonicNs();
    },
    async stop() {
      for (const node of redis.nodes) await node.kill('SIGCONT').catch(() => undefined);
      await site.stop();
      await redis.stop();
    },
  };
}

const DISK_MB = 48;
/** More than is left when the disk is full, less than there is at first. */
const MIN_FREE = '24MB';

async function onSmallDisk(under: string, whose: 'data' | 'workerFolder'): Promise<Setting> {
  const disk = makeDisk(join(under, 'small'), DISK_MB);
  const site = await startSite();
  return {
    job: { seeds: [site.url()], politeness: { gap: '300ms', slowFactor: 0 }, limits: { minFree: MIN_FREE } },
    [whose]: join(disk.path, 'folder'),
    workerWords: ['--min-free', whose === 'workerFolder' ? MIN_FREE : '1MB'],
    async happens() {
      await firstOf(() => site.askedAtNs, 'several requests', 4);
      await fill(join(disk.path, 'filler'), 6_000_000);
      return monotonicNs();
    },
    async stop() {
      await site.stop();
      disk.unmount();
    },
  };
}

async function fill(file: string, leaveBytes: number): Promise<void> {
  const handle = await open(file, 'w');
  try {
    const { bavail, bsize } = await statfs(file);
    const block = Buffer.alloc(1_000_000, 1);
    for (let left = bavail * bsize - leaveBytes; left > 0; left -= block.length) await handle.write(block);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function withNames(answers: 'servfail' | 'nothing'): Promise<Setting> {
  const port = await closedPort();
  const asked: number[] = [];
  const dns = createDns((name) => {
    if (name.endsWith('.test')) asked.push(monotonicNs());
    return undefined;
  });
  const failing = answers === 'servfail' ? await startFailingDns(asked) : undefined;
  return {
    job: {
      seeds: ['http://shop.test/'],
      fetch: { dns: [`127.0.0.1:${failing?.port ?? port}`], ...retries },
    },
    happens: async (lab) => {
      if (failing) return await firstOf(() => asked, 'a question for a name');
      return await workerCame(lab);
    },
    async stop() {
      await dns.stop();
      failing?.stop();
    },
  };
}

/** A name server that is there, and fails for every name. */
async function startFailingDns(asked: number[]): Promise<{ port: number; stop(): void }> {
  const { createSocket } = await import('node:dgram');
  const socket = createSocket('udp4');
  socket.on('message', (question, peer) => {
    if (question.includes('shop')) asked.push(monotonicNs());
    const reply = Buffer.from(question);
    // An answer, SERVFAIL.
    reply.writeUInt16BE(0x8182, 2);
    socket.send(reply, peer.port, peer.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { port: socket.address().port, stop: () => socket.close() };
}

const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'];

async function manyHosts(): Promise<Setting> {
  const site = await startSite({ addresses: ADDRESSES });
  return {
    job: { seeds: ADDRESSES.map((address) => site.url(address)), scope: { stay: 'host' }, ...polite },
    workerWords: ['--connections', '2'],
    happens: () => firstOf(() => site.askedAtNs, 'requests to two hosts', 2),
    stop: () => site.stop(),
  };
}

export const causes: Cause[] = [
  { cause: 'gap', screen: /pause between requests/, ready: 200, make: onSite({}, () => polite, pageAsked) },
  {
    cause: 'crawl-delay',
    screen: /crawl-delay/,
    ready: 200,
    make: onSite({ robots: 'User-agent: *\nCrawl-delay: 40\n' }, () => brisk, pageAsked),
  },
  {
    cause: 'retry-after',
    screen: /Retry-After/,
    ready: 200,
    make: onSite({ page: () => ({ status: 429, headers: { 'retry-after': '60' } }) }, () => brisk, pageAsked),
  },
  {
    cause: 'server-errors',
    screen: /server errors/,
    ready: 200,
    make: onSite(
      { page: (n) => (n === 0 ? undefined : { status: 500 }) },
      () => ({ ...brisk, fetch: retries }),
      async (site) => await firstOf(() => site.askedAtNs, 'three errors', 5),
    ),
  },
  { cause: 'robots', screen: /robots\.txt/, ready: 200, make: onSite({ robots: 500 }, () => brisk) },
  {
    cause: 'connection-lost',
    screen: /connection lost/,
    ready: 200,
    make: onSite(
      { resets: true },
      () => ({ ...brisk, fetch: retries }),
      (_site, lab) => workerCame(lab),
    ),
  },
  {
    cause: 'connect-refused',
    screen: /connection refused/,
    ready: 200,
    make: () => nowhere((port) => `http://127.0.0.1:${port}/`),
  },
  {
    cause: 'tls-error',
    screen: /TLS/,
    ready: 200,
    make: onSite(
      {},
      ({ port }) => ({
        seeds: [`https://127.0.0.1:${port}/`],
        fetch: retries,
      }),
      (_site, lab) => workerCame(lab),
    ),
  },
  {
    cause: 'proxy-failed',
    screen: /proxy/,
    ready: 200,
    make: async () => {
      const proxy = `http://127.0.0.1:${await closedPort()}`;
      return await nowhere((port) => `http://127.0.0.1:${port}/`, { proxy: [{ use: proxy }] });
    },
  },
  { cause: 'dns-failed', screen: /DNS servers/, ready: 200, make: () => withNames('servfail') },
  { cause: 'workers-offline', screen: /network/, ready: 200, make: () => withNames('nothing') },
  {
    cause: 'no-worker',
    screen: /a worker: no worker is connected/,
    ready: 200,
    make: async () => ({
      ...(await nowhere((port) => `http://127.0.0.1:${port}/`)),
      workers: 0,
      happens: async () => monotonicNs(),
    }),
  },
  { cause: 'connections-held', screen: /connections are held/, ready: 200, make: manyHosts },
  {
    cause: 'workers-disk',
    screen: /disk space on the workers/,
    ready: 200,
    make: (under) => onSmallDisk(under, 'workerFolder'),
  },
  { cause: 'disk', screen: /free disk space/, ready: 503, make: (under) => onSmallDisk(under, 'data') },
  {
    cause: 'store',
    screen: /the store, which is unreachable/,
    ready: 503,
    make: () => onStore({}, async (redis) => await redis.nodes[0]?.kill('SIGSTOP')),
  },
  {
    cause: 'store-full',
    screen: /the store, which is out of memory/,
    ready: 503,
    make: () => onStore({}, async (redis) => await redis.nodes[0]?.ask('CONFIG', 'SET', 'maxmemory', '1mb')),
  },
  {
    cause: 'store-replicas',
    screen: /replicas/,
    ready: 503,
    make: () => onStore({ replicasEach: 1 }, async (redis) => await redis.nodes[1]?.kill('SIGSTOP')),
  },
  {
    cause: 'operator',
    screen: /an operator to resume it/,
    ready: 200,
    make: async () => {
      const site = await startSite();
      return {
        job: { seeds: [site.url()], politeness: { gap: '300ms', slowFactor: 0 } },
        async happens({ screen }) {
          await firstOf(() => site.askedAtNs, 'several requests', 4);
          screen.press('p');
          return monotonicNs();
        },
        stop: () => site.stop(),
      };
    },
  },
  {
    cause: 'limit',
    screen: /limit/,
    ready: 200,
    make: onSite(
      {},
      () => ({ ...brisk, limits: { pages: 3, minFree: '1MB' } }),
      async (site) => firstOf(() => site.askedAtNs, 'as many pages as the limit', 4),
    ),
  },
];
