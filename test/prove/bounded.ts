// watches: packages/protocol/src/expression, packages/worker/src/tree, packages/worker/src/documents
// watches: packages/worker/src/aside, packages/worker/src/fields, packages/worker/src/markdown
// watches: packages/worker/src/main-content, packages/worker/src/facts, packages/worker/src/scrape
// misses: an expression, a document or a page of one team that holds up the crawls of another
import { exec } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { JobInput, PageRecord } from '@webfarer/protocol';
import { type Bomb, bombJobs, bombs, faultOf } from '../bounded/bombs.ts';
import { type Sites, startSites } from '../bounded/sites.ts';
import { allowedMs, yardstick } from '../install/first-page.ts';
import { type NetworkProcess, networkProcess } from '../network/process.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { argument, until, workFolder } from './lab.ts';

// ci: rated, because it compares rates.

const sizes = {
  quick: { goodHosts: 8, aloneMs: 8_000, every: 3, most: 40_000, again: 3 },
  full: { goodHosts: 16, aloneMs: 30_000, every: 1, most: 300_000, again: bombs.length },
};
const gapMs = 500;
/** A process that starts computes without a pause, whatever it is given. */
const loadingMs = 10_000;
/** The quick form measures some seconds, on a machine that also serves the bombs: 0.61 to 0.8 of the rate was kept in it. */
const limits = { blockMs: 250, rateKept: { quick: 0.5, full: 0.8 }, memoryMiB: 600 };

/**
 * A coordinator and a worker of their own process serve two teams. One crawls a good site at a fixed pace; the other has
 * pages, documents and rules that were made to cost much. The longest time that either process computes without a pause,
 * the rate of the good site and the memory are measured, and every bomb must be recorded, with its reason where it is cut.
 * Then both processes are killed with bombs in the queue and started again. `--only NAME` takes the bombs of such a name,
 * `--list` shows the longest pauses.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const only = argument(args, '--only') ?? '';
  const every = only === '' ? size.every : 1;
  const chosen = bombs.filter(({ name }, at) => name.includes(only) && at % every === 0);
  const work = workFolder('bounded');
  const sites = await startSites({ goodHosts: size.goodHosts, bombs });
  const network = openNetwork(work.path);
  try {
    await network.start();
    await network.create('good', {
      seeds: sites.goodSeeds,
      limits: { pages: 'none', perHost: { pages: 'none' }, perSite: { pages: 'none' }, depth: 'none' },
    });
    await until('the good site is crawled', () => sites.goodAtMs.length > size.goodHosts, 60_000);
    const yardstickMs = [await measured()];
    const mostMs = allowedMs(size.most, yardstickMs);
    const alone = await duringMs(sites, size.aloneMs);
    const before = network.memoryMiB();
    network.watch();
    const startedMs = performance.now();
    const at = sites.goodAtMs.length;
    const found = await crawlBombs(network, sites, { chosen, suffix: '', mostMs });
    const beside = rateOf(sites, at, performance.now() - startedMs);
    const memoryMiB = network.topMiB() - before;
    yardstickMs.push(await measured());
    const again = await restarted(network, sites, chosen.slice(0, size.again), mostMs);
    const blocks = network.blocks();
    if (args.includes('--list'))
      for (const block of blocks.slice(0, 30)) console.error(JSON.stringify(block));
    const blockMs = blocks[0]?.blockMs ?? 0;
    const rateKept = Math.round((beside / alone) * 100) / 100;
    const faults = [...found, ...again.faults];
    return {
      ok: faults.length === 0 && again.goodPages > 0 && memoryMiB <= limits.memoryMiB,
      tooSlow:
        blockMs > allowedMs(limits.blockMs, yardstickMs) ||
        rateKept < limits.rateKept[quick ? 'quick' : 'full'],
      result: {
        bombs: chosen.length,
        blockMs,
        yardstickMs,
        goodRateKept: rateKept,
        goodPagesPerSecondAlone: Math.round(alone * 10) / 10,
        memoryMiB,
        withoutReason: faults.length,
        afterRestart: again,
        faults: faults.slice(0, 40),
        sizes: { ...size, gapMs },
      },
    };
  } finally {
    await network.stop();
    await sites.stop();
    work.remove();
  }
}

/** How long the yardstick takes on this machine now. */
async function measured(): Promise<number> {
  const from = performance.now();
  await promisify(exec)(yardstick.replace(/^node/, process.execPath));
  return Math.round(performance.now() - from);
}

async function duringMs(sites: Sites, ms: number): Promise<number> {
  const at = sites.goodAtMs.length;
  await new Promise((resolve) => setTimeout(resolve, ms));
  return rateOf(sites, at, ms);
}

const rateOf = ({ goodAtMs }: Sites, from: number, ms: number): number =>
  ((goodAtMs.length - from) / ms) * 1_000;

/** Creates a crawl for each kind of bomb and waits until every bomb is recorded; answers what is wrong. */
async function crawlBombs(
  network: Network,
  sites: Sites,
  { chosen, suffix, mostMs }: { chosen: readonly Bomb[]; suffix: string; mostMs: number },
): Promise<string[]> {
  const kinds = [...new Set(chosen.map(({ crawl }) => crawl))];
  for (const kind of kinds) {
    const seeds = chosen.filter(({ crawl }) => crawl === kind).map(sites.seedOf);
    await network.create(`${kind}${suffix}`, { ...bombJobs[kind], seeds });
  }
  return await recorded(network, sites, { chosen, suffix, mostMs });
}

async function recorded(
  network: Network,
  sites: Sites,
  { chosen, suffix, mostMs }: { chosen: readonly Bomb[]; suffix: string; mostMs: number },
): Promise<string[]> {
  const kinds = [...new Set(chosen.map(({ crawl }) => crawl))];
  const records = new Map<string, PageRecord>();
  const faults = () =>
    chosen.flatMap((bomb) => faultOf(bomb, records.get(`${bomb.crawl} ${sites.seedOf(bomb)}`)) ?? []);
  const end = performance.now() + mostMs;
  while (records.size < chosen.length && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    for (const kind of kinds)
      for (const record of await network.records(`${kind}${suffix}`))
        if (chosen.some((bomb) => bomb.crawl === kind && sites.seedOf(bomb) === record.url))
          records.set(`${kind} ${record.url}`, record);
  }
  return faults();
}

/** Both processes are killed while bombs are in the queue. */
async function restarted(network: Network, sites: Sites, chosen: readonly Bomb[], mostMs: number) {
  const kinds = [...new Set(chosen.map(({ crawl }) => crawl))];
  for (const kind of kinds)
    await network.create(`${kind}-again`, {
      ...bombJobs[kind],
      seeds: chosen.filter(({ crawl }) => crawl === kind).map(sites.seedOf),
    });
  await network.kill();
  await network.start();
  const at = sites.goodAtMs.length;
  const faults = await recorded(network, sites, { chosen, suffix: '-again', mostMs });
  await until('the good site is crawled again', () => sites.goodAtMs.length > at, 60_000);
  return { bombs: chosen.length, faults, goodPages: sites.goodAtMs.length - at };
}

interface Block {
  process: string;
  pid: number;
  blockMs: number;
  atMs: number;
}

interface Network {
  start(): Promise<void>;
  create(name: string, job: Partial<JobInput>): Promise<void>;
  records(crawl: string): Promise<PageRecord[]>;
  /** Of the larger of the two processes. */
  memoryMiB(): number;
  /** What is measured from here on counts. */
  watch(): void;
  topMiB(): number;
  /** The longest first. */
  blocks(): Block[];
  kill(): Promise<void>;
  stop(): Promise<void>;
}

const listening = /^Listening on (http:\/\/\S+)$/m;

function openNetwork(under: string): Network {
  const loop = (name: string) => join(under, `${name}.loop`);
  const env = (name: string) => ({
    NODE_OPTIONS: `--import=${join(import.meta.dirname, '../bounded/watch-loop.ts')}`,
    BOUNDED_LOOP_FILE: loop(name),
  });
  const data = join(under, 'data');
  let port = '0';
  const coordinator = networkProcess({
    name: 'coordinator',
    folder: data,
    env: env('coordinator'),
    words: () => ['coordinator', '--data', data, '--listen', `127.0.0.1:${port}`],
    atWork: (printed) => listening.test(printed),
  });
  const url = () => [...coordinator.output().matchAll(new RegExp(listening, 'gm'))].at(-1)?.[1] ?? '';
  const folder = join(under, 'worker');
  const worker = networkProcess({
    name: 'worker',
    folder,
    env: env('worker'),
    words: () => {
      const own = ['--token-file', join(data, 'worker.token'), '--out', folder];
      return ['worker', url(), ...own, '--allow-private', '127.0.0.0/8'];
    },
    atWork: () => true,
  });
  const processes = [coordinator, worker];
  let fromMs = Number.POSITIVE_INFINITY;
  let topMiB = 0;
  const looking = setInterval(() => {
    topMiB = Math.max(topMiB, ...processes.map(residentMiB));
  }, 200);
  const ask = async (method: string, path: string, body?: unknown): Promise<string> => {
    const token = (await readFile(join(data, 'operator.token'), 'utf8')).trim();
    const answer = await fetch(url() + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return text;
  };
  return {
    async start() {
      await coordinator.start();
      port = /:(\d+)$/.exec(url())?.[1] ?? port;
      await worker.start();
    },
    async create(name, more) {
      const job = {
        name,
        team: name === 'good' ? 'blue' : 'red',
        contact: 'https://lab.test/crawler',
        save: ['none'],
        politeness: { gap: `${gapMs}ms`, slowFactor: 0 },
        robots: { sitemaps: false },
        ...more,
        fetch: { allowPrivate: ['127.0.0.0/8'], retries: { count: 1 }, ...more.fetch },
      };
      await ask('POST', '/v1/crawls', { job });
    },
    async records(crawl) {
      const text = await ask('GET', `/v1/crawls/${crawl}/results?limit=10000`);
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { record?: PageRecord })
        .flatMap(({ record }) => record ?? []);
    },
    memoryMiB: () => Math.max(...processes.map(residentMiB)),
    watch() {
      fromMs = Date.now();
      topMiB = 0;
    },
    topMiB: () => topMiB,
    blocks: () =>
      ['coordinator', 'worker']
        .filter((name) => existsSync(loop(name)))
        .flatMap((name) =>
          readFileSync(loop(name), 'utf8')
            .trim()
            .split('\n')
            .map((line) => ({ ...(JSON.parse(line) as Block), process: name })),
        )
        .filter(({ atMs, pid }, _, all) => {
          const { atMs: startedMs = 0 } = all.find((each) => each.pid === pid) ?? {};
          return atMs >= fromMs && atMs - startedMs > loadingMs;
        })
        .toSorted((one, other) => other.blockMs - one.blockMs),
    async kill() {
      await Promise.all(processes.map((one) => one.kill()));
    },
    async stop() {
      clearInterval(looking);
      await Promise.all(processes.map((one) => one.kill()));
    },
  };
}

function residentMiB({ pid }: NetworkProcess): number {
  try {
    return Math.round(
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1]) / 1_024,
    );
  } catch {
    return 0;
  }
}
