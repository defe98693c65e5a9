// watches: packages/coordinator/src/link, packages/worker/src/link, packages/protocol/src/link
// misses: the measurement of the link no longer runs
import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startNetwork } from '../test/network/launcher.ts';
import { argument, until, workFolder } from '../test/prove/lab.ts';
import type { BenchOptions, BenchResult } from './bench.ts';
import type { Site } from './broad/site.ts';
import { ratioOf } from './broad/statistics.ts';
import { cpuMs } from './process-cpu.ts';
import { type Crawled, type CrawlTask, crawlInput } from './processes/crawl-task.ts';
import { startOrigin } from './processes/start-origin.ts';

const run = promisify(execFile);
const connections = 32;
/** Pages per CPU-second through coordinator and link, of those in one process. */
const bar = 0.7;
/** Milliseconds of the coordinator's CPU for each page. */
const coordinatorBar = 0.3;
/** The quick form only shows that everything runs. */
const quickBar = 0.2;

/** A look at a coordinator costs it something. */
const lookEveryMs = 500;
/** As the command sets it for itself. */
const memory = ['--semi-space-growth-factor=1'];

const crawler = join(import.meta.dirname, 'processes/crawl.ts');
const sites: Record<string, Site> = {
  medium: { hosts: 128, pagesPerHost: 50, linksPerPage: 61, pageBytes: 26_000 },
  quick: { hosts: 16, pagesPerHost: 20, linksPerPage: 61, pageBytes: 26_000 },
};

interface Measured {
  pages: number;
  /** Microseconds of CPU for each page. */
  coordinatorMicros: number;
  workerMicros: number;
}

/**
 * The same pages crawled by one process, and by a worker that is linked to a coordinator, in turns: pages for each
 * second of CPU, whoever spent it, from the first page in the store to the last. `--site medium --rounds N`.
 */
export async function bench({ quick, args }: BenchOptions): Promise<BenchResult> {
  const site = sites[argument(args, '--site') ?? (quick ? 'quick' : 'medium')];
  if (!site) throw new Error(`--site is one of ${Object.keys(sites).join(', ')}`);
  const rounds = Number(argument(args, '--rounds') ?? (quick ? 1 : 5));
  const work = workFolder('link');
  const origin = await startOrigin(site);
  const task: CrawlTask = {
    seeds: origin.seeds,
    inside: origin.inside,
    folder: work.path,
    processes: 1,
    connections,
    save: 'none',
  };
  const measured: { local: Measured; linked: Measured }[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      const linkedFirst = round % 2 === 1;
      const before = linkedFirst ? await linked(task, quick) : undefined;
      const local = await inOneProcess(task);
      const both = { local, linked: before ?? (await linked(task, quick)) };
      measured.push(both);
      console.error(`  ${JSON.stringify(both)} load ${loadavg()[0]?.toFixed(1)}`);
    }
  } finally {
    await origin.stop();
    work.remove();
  }
  const ratios = measured.map((one) => costOf(one.local) / costOf(one.linked));
  const networkToLocal = ratioOf(ratios);
  const coordinatorMsPerPage = ratioOf(measured.map((one) => one.linked.coordinatorMicros / 1_000));
  const pages = site.hosts * site.pagesPerHost;
  const same = measured.every(({ local, linked: far }) => local.pages === pages && far.pages === pages);
  const enough =
    (networkToLocal.median ?? 0) >= (quick ? quickBar : bar) &&
    (quick || (coordinatorMsPerPage.median ?? Number.POSITIVE_INFINITY) <= coordinatorBar);
  return {
    ok: same && enough,
    result: {
      networkToLocal: networkToLocal.median,
      interval: networkToLocal.interval,
      rounds: networkToLocal.rounds,
      bar,
      coordinatorMsPerPage: coordinatorMsPerPage.median,
      coordinatorBar,
      same,
      measured: measured.at(-1),
      load: loadavg()[0],
      sizes: { ...site, pages, ...origin.facts, connections, cores: cpus().length },
    },
  };
}

function costOf({ coordinatorMicros, workerMicros }: Measured): number {
  return coordinatorMicros + workerMicros;
}

async function inOneProcess(task: CrawlTask): Promise<Measured> {
  rmSync(join(task.folder, 'crawl'), { recursive: true, force: true });
  const { stdout } = await run(process.execPath, [...memory, crawler, JSON.stringify(task)], {
    timeout: 600_000,
  });
  const { pages, ownCpuMs } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Crawled;
  return { pages, coordinatorMicros: 0, workerMicros: Math.round((ownCpuMs * 1_000) / pages) };
}

async function linked(task: CrawlTask, quick: boolean): Promise<Measured> {
  const under = join(task.folder, 'network');
  rmSync(under, { recursive: true, force: true });
  const job = join(task.folder, 'link.yaml');
  writeFileSync(job, JSON.stringify(crawlInput(task)));
  const network = await startNetwork({ job, under, workers: 0, connections });
  try {
    const [coordinator] = network.coordinators;
    if (!coordinator) throw new Error('there is no coordinator');
    const worker = await network.addWorker();
    const look = async () => {
      const [crawl] = (await coordinator.status()).crawls;
      const cpu = { coordinator: cpuMs(coordinator.pid ?? 0), worker: cpuMs(worker.pid ?? 0) };
      return { pages: crawl?.byStatus['200'] ?? 0, state: crawl?.state, cpu };
    };
    let first = await look();
    await until('the first page', async () => (first = await look()).pages > 0, 60_000);
    // What comes after the last page (results, report) is the same work in both.
    let [last, end] = [first, first];
    const over = async () => {
      await new Promise((resolve) => setTimeout(resolve, quick ? 50 : lookEveryMs));
      end = await look();
      if (end.state === 'running' || last === first) last = end;
      return end.state === 'finished';
    };
    await until('the end of the crawl', over, 600_000);
    const micros = (from: number, to: number) =>
      Math.round(((to - from) * 1_000) / (last.pages - first.pages));
    return {
      pages: end.pages,
      coordinatorMicros: micros(first.cpu.coordinator, last.cpu.coordinator),
      workerMicros: micros(first.cpu.worker, last.cpu.worker),
    };
  } finally {
    await network.end();
  }
}
