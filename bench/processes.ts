// watches: packages/cli/src/processes, packages/coordinator/src/link
// misses: the measurement of several processes no longer runs
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { argument, workFolder } from '../test/prove/lab.ts';
import type { BenchOptions, BenchResult } from './bench.ts';
import type { Site } from './broad/site.ts';
import { ratioOf } from './broad/statistics.ts';
import type { Crawled, CrawlTask } from './processes/crawl-task.ts';
import { startOrigin } from './processes/start-origin.ts';

const run = promisify(execFile);
/** Hosts that each process fetches from at once. */
const connections = 32;
/** Two processes, in pages per second by the wall clock, at least this many times one. */
const bar = 1.7;
/** The quick form only shows that everything runs. */
const quickBar = 0.3;

const crawler = join(import.meta.dirname, 'processes/crawl.ts');
/** What worker processes are started with, here for everybody: the ratio is to speak of processes alone. */
const memory = ['--max-semi-space-size=32'];

/** Pages as large as those of real sites: reading them is the work, and the origin has next to none. */
const sites: Record<string, Site> = {
  large: { hosts: 128, pagesPerHost: 30, linksPerPage: 150, pageBytes: 100_000 },
  medium: { hosts: 128, pagesPerHost: 50, linksPerPage: 61, pageBytes: 26_000 },
  quick: { hosts: 16, pagesPerHost: 20, linksPerPage: 61, pageBytes: 26_000 },
};

/**
 * The same pages crawled with one process and with several, in turns; pages per second by the wall clock, from the
 * first page in the store to the last. `--site large|medium --processes 2 --rounds N --save none|warc`.
 */
export async function bench({ quick, args }: BenchOptions): Promise<BenchResult> {
  const name = argument(args, '--site') ?? (quick ? 'quick' : 'large');
  const site = sites[name];
  if (!site) throw new Error(`--site is one of ${Object.keys(sites).join(', ')}`);
  const several = Number(argument(args, '--processes') ?? 2);
  const rounds = Number(argument(args, '--rounds') ?? (quick ? 1 : 5));
  const save = (argument(args, '--save') ?? 'none') as CrawlTask['save'];
  const work = workFolder('processes');
  const origin = await startOrigin(site);
  const measured: Record<number, Measured[]> = { 1: [], [several]: [] };
  try {
    for (let round = 0; round < rounds; round++) {
      const order = round % 2 === 0 ? [1, several] : [several, 1];
      for (const processes of order) {
        rmSync(join(work.path, 'crawl'), { recursive: true, force: true });
        const before = await origin.cpuMs();
        const { seeds, inside } = origin;
        const task: CrawlTask = { seeds, inside, folder: work.path, processes, connections, save };
        const { stdout } = await run(process.execPath, [...memory, crawler, JSON.stringify(task)], {
          timeout: 600_000,
        });
        const crawled = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Crawled;
        const one = perPage(crawled, (await origin.cpuMs()) - before);
        measured[processes]?.push(one);
        console.error(`  ${processes}: ${JSON.stringify(one)} load ${loadavg()[0]?.toFixed(1)}`);
      }
    }
  } finally {
    await origin.stop();
    work.remove();
  }
  const one = measured[1] ?? [];
  const more = measured[several] ?? [];
  const pages = site.hosts * site.pagesPerHost;
  const speedup = ratioOf(more.map((m, i) => m.pagesPerSecond / (one[i]?.pagesPerSecond ?? Number.NaN)));
  const same = [...one, ...more].every((m) => m.pages === pages);
  return {
    ok: same && (speedup.median ?? 0) >= (quick ? quickBar : bar),
    result: {
      speedup: speedup.median,
      interval: speedup.interval,
      rounds: speedup.rounds,
      bar,
      same,
      byCpu: byCpu(medianOf(one), medianOf(more), several),
      one: medianOf(one),
      several: medianOf(more),
      load: loadavg()[0],
      sizes: { ...site, pages, ...origin.facts, processes: several, connections, save, cores: cpus().length },
    },
  };
}

/** Microseconds of CPU for each page, by who spent them. */
interface Measured {
  pages: number;
  pagesPerSecond: number;
  startMs: number;
  parentMicros: number;
  childrenMicros: number;
  originMicros: number;
}

function perPage({ pages, crawlMs, startMs, ownCpuMs, childrenCpuMs }: Crawled, originMs: number): Measured {
  const micros = (ms: number) => Math.round((ms * 1_000) / pages);
  return {
    pages,
    pagesPerSecond: Math.round((pages * 10_000) / crawlMs) / 10,
    startMs: Math.round(startMs),
    parentMicros: micros(ownCpuMs),
    childrenMicros: micros(childrenCpuMs),
    originMicros: micros(originMs),
  };
}

/**
 * What the CPU time spent on a page allows, whatever else the machine was doing meanwhile: with a core for every
 * process, on two cores that the origin shares, and with so many processes that the parent has no time left.
 */
function byCpu(one: Measured, more: Measured, processes: number) {
  const parent = one.parentMicros / more.parentMicros;
  const round = (value: number) => Math.round(value * 100) / 100;
  return {
    coreEach: round(Math.min(parent, (processes * one.parentMicros) / more.childrenMicros)),
    twoCores: round((2 * one.parentMicros) / (more.parentMicros + more.childrenMicros + more.originMicros)),
    most: round(parent),
  };
}

function medianOf(all: Measured[]): Measured {
  const keys: (keyof Measured)[] = [
    'pages',
    'pagesPerSecond',
    'startMs',
    'parentMicros',
    'childrenMicros',
    'originMicros',
  ];
  const middle = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  return Object.fromEntries(
    keys.map((key) => [key, middle(all.map((one) => one[key]))]),
  ) as unknown as Measured;
}
