import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobInput } from '@webfarer/protocol';
import type { CrawlDetail } from '@webfarer/protocol/api';
import { type Network, startNetwork } from '../network/launcher.ts';
import { until } from '../prove/lab.ts';
import { freePorts } from '../redis/server-process.ts';
import { type AloneSites, startSites } from './sites.ts';

/** What a crawl says of its trouble, where it is shown, and what is to be done. */
export interface Shown {
  what: string;
  next: string;
}

/** A way to trouble one crawl, schedule or folder of a network. */
export interface Way {
  name: string;
  /** Where it cannot be caused: why. */
  impossible?(): string | undefined;
  /** While everything runs. */
  cause(lab: AloneLab): Promise<void>;
  /** While coordinator and worker are down. */
  whileDown?(lab: AloneLab): Promise<void>;
  /** Undefined: not yet. */
  shown(lab: AloneLab): Promise<Shown | undefined>;
  /** Before its crawl is deleted. */
  end?(lab: AloneLab): Promise<void>;
  /** Once it is. */
  stop?(): Promise<void>;
}

/** A coordinator and a worker, each a process of its own, with the crawl of one team that nothing is wrong with. */
export interface AloneLab {
  /** The folder of the coordinator. */
  data: string;
  /** The folder of the worker. */
  worker: string;
  /** Nothing listens there. */
  closed: string;
  ask<Answer = unknown>(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Of the coordinator. */
  url(): string;
  /** Creates a crawl of another team on a host of its own. */
  create(name: string, changes?: Partial<JobInput>): Promise<void>;
  detail(name: string): Promise<CrawlDetail>;
  /** Pages that the good crawl has asked for, by the log of its sites. */
  readonly goodPages: number;
  good(): Promise<CrawlDetail>;
  pids(): (number | undefined)[];
  /** Where the worker has ended it is started again, as systemd would. */
  revive(): Promise<boolean>;
  stopBoth(): Promise<void>;
  startBoth(): Promise<void>;
  output(): string;
  end(): Promise<void>;
}

/** Few enough requests that the machine is not what limits them. */
const goodHosts = 6;
export const gapMs = 150;
const goodName = 'good';

export async function openAloneLab(under: string): Promise<AloneLab> {
  const [goodSites, badSites] = await Promise.all([startSites(60), startSites(61)]);
  const [port = 0] = await freePorts('127.0.0.1', 1);
  const closed = `127.0.0.1:${port}`;
  Object.assign(process.env, {
    WEBFARER_SAVE_REDIS: `redis://${closed}`,
    AWS_ACCESS_KEY_ID: 'webfarer-test',
    AWS_SECRET_ACCESS_KEY: 'webfarer-test-secret',
    AWS_REGION: 'us-east-1',
  });
  const network = await startNetwork({ under, coordinatorWords: ['--webhook-private', '127.0.0.0/8'] });
  return await labOf({ network, goodSites, badSites, closed });
}

interface Parts {
  network: Network;
  goodSites: AloneSites;
  badSites: AloneSites;
  closed: string;
}

async function labOf({ network, goodSites, badSites, closed }: Parts): Promise<AloneLab> {
  const [coordinator] = network.coordinators;
  const [worker] = network.workers;
  if (!coordinator || !worker) throw new Error('the network is not complete');
  const token = readFileSync(join(coordinator.folder, 'operator.token'), 'utf8').trim();

  async function ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await fetch(`${coordinator?.url()}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    const said = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${said}`);
    return (said === '' ? undefined : JSON.parse(said)) as Answer;
  }

  async function begin(name: string, changes: Partial<JobInput>): Promise<void> {
    const job = {
      name,
      contact: 'https://lab.test/crawler',
      scope: { stay: 'host' },
      robots: { sitemaps: false },
      politeness: { gap: `${gapMs}ms`, slowFactor: 0 },
      ...changes,
      limits: {
        pages: 'none',
        duration: 'none',
        depth: 'none',
        perHost: { pages: 'none' },
        perSite: { pages: 'none' },
        minFree: '1MB',
        ...changes.limits,
      },
      fetch: { allowPrivate: ['127.0.0.0/8'], retries: { count: 1, backoff: '1s' }, ...changes.fetch },
    };
    await ask('POST', '/crawls', { job });
  }

  const seeds: string[] = [];
  for (let host = 0; host < goodHosts; host++) seeds.push(await goodSites.addHost());
  await begin(goodName, { team: 'blue', seeds });
  const detail = (name: string) => ask<CrawlDetail>('GET', `/crawls/${encodeURIComponent(name)}`);
  return {
    data: coordinator.folder,
    worker: worker.folder,
    closed,
    ask,
    url: () => coordinator.url(),
    create: async (name, changes = {}) =>
      await begin(name, { team: 'red', seeds: [await badSites.addHost()], ...changes }),
    detail,
    get goodPages() {
      return goodSites.pages;
    },
    good: () => detail(goodName),
    pids: () => [coordinator.pid, worker.pid],
    async revive() {
      if (worker.running) return false;
      await worker.start();
      return true;
    },
    async stopBoth() {
      await worker.stop();
      await coordinator.stop();
    },
    async startBoth() {
      await coordinator.start();
      await worker.start();
    },
    output: () =>
      [coordinator, worker].map((one) => `--- ${one.name}\n${one.output().slice(-3_000)}`).join('\n'),
    async end() {
      await network.end();
      await goodSites.stop();
      await badSites.stop();
    },
  };
}

/** The next page of the good crawl, from now on. Answers after how long. */
export async function nextGoodPage(lab: AloneLab, withinMs: number): Promise<number> {
  const [from, before] = [performance.now(), lab.goodPages];
  await until('the good crawl to continue', () => lab.goodPages > before, withinMs);
  return Math.round(performance.now() - from);
}
