// watches: packages/coordinator/src/metrics, packages/worker/src/metrics
// misses: the measurement of scrapes no longer runs
import { spawnSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { argument, commandPath, startCrawler, until, workFolder, writeJob } from '../test/prove/lab.ts';
import { freePorts } from '../test/redis/server-process.ts';
import type { BenchOptions, BenchResult } from './bench.ts';
import { ratioOf } from './broad/statistics.ts';
import { type RunningWeb, startWeb } from './network/start-web.ts';
import { mainThreadCpuMs } from './process-cpu.ts';

/** Of the CPU time of a page. */
const bar = 0.01;
const web = { hosts: 200, pagesPerHost: 5_000, linksPerPage: 20, pageBytes: 5_000, latencyMs: 0, gapMs: 0 };
const sizes = { quick: { rounds: 2, seconds: 2 }, full: { rounds: 20, seconds: 4 } };
const warmUp = { pages: 3_000, withinMs: 120_000 };
/**
 * What a scrape each second costs. A crawl that is limited by its processor is watched in turns with a scrape each second and
 * without, and its CPU time per page compared; other programs of the machine disturb that by more than a scrape costs. So
 * the crawl is then paused, and the CPU time of the idle process compared in the same way: what a scrape takes of a
 * second is the share of its rate that a crawl on one core loses. `--rounds N --seconds N`.
 */
export async function bench({ quick, args }: BenchOptions): Promise<BenchResult> {
  const usual = quick ? sizes.quick : sizes.full;
  const rounds = Number(argument(args, '--rounds') ?? usual.rounds);
  const seconds = Number(argument(args, '--seconds') ?? usual.seconds);
  const { ratios, costs, pagesPerSecond, scrapeBytes } = await measure(rounds, seconds);
  const ratio = ratioOf(ratios);
  const msPerScrape = ratioOf(costs).median ?? 1_000;
  const shareOfCore = rounded(msPerScrape / 1_000);
  return {
    // The ratio of a busy machine decides only where it shows more than the bar beyond doubt.
    ok: quick || (shareOfCore <= bar && (ratio.interval?.[0] ?? 2) <= 1 + bar),
    result: {
      shareOfCore,
      cpuPerPage: ratio.median,
      interval: ratio.interval,
      rounds: ratio.rounds,
      bar,
      msPerScrape: rounded(msPerScrape),
      scrapeBytes,
      pagesPerSecond: Math.round(pagesPerSecond),
      load: loadavg()[0],
      sizes: { ...web, rounds, seconds, cores: cpus().length },
    },
  };
}

interface Measured {
  /** CPU time per page with scrapes to that without, of each round. */
  ratios: number[];
  /** CPU milliseconds of a scrape, of each round. */
  costs: number[];
  pagesPerSecond: number;
  scrapeBytes: number;
}

async function measure(rounds: number, seconds: number): Promise<Measured> {
  const work = workFolder('bench-metrics');
  const hosts = await startWeb(web);
  const [port] = await freePorts('127.0.0.1', 1);
  const url = `http://127.0.0.1:${port}/metrics`;
  const file = join(work.path, 'job.json');
  await writeJob(file, hosts.job);
  const folder = join(work.path, 'crawl');
  const crawler = startCrawler(file, folder, { args: ['--metrics', `127.0.0.1:${port}`] });
  try {
    const isWarm = async () => {
      await later(200);
      return (await hosts.look()).pages >= warmUp.pages;
    };
    await until(`${warmUp.pages} pages`, isWarm, warmUp.withinMs);
    const pid = crawler.child.pid ?? 0;
    const ratios: number[] = [];
    let pages = 0;
    const inTurns = async (each: (window: Windows) => void): Promise<void> => {
      for (let round = 0; round < rounds; round++) {
        const windows: Partial<Windows> = {};
        // The one that comes first takes turns too.
        for (const how of round % 2 === 0 ? (['scraped', 'alone'] as const) : (['alone', 'scraped'] as const))
          windows[how] = await watch({ hosts, pid, url: how === 'scraped' ? url : undefined, seconds });
        each(windows as Windows);
      }
    };
    await inTurns(({ scraped, alone }) => {
      ratios.push(scraped.cpuMs / scraped.pages / (alone.cpuMs / alone.pages));
      pages += scraped.pages;
      console.error(`  CPU per page ${ratios.at(-1)?.toFixed(3)}, load ${loadavg()[0]?.toFixed(1)}`);
    });
    const scrapeBytes = (await (await fetch(url)).text()).length;
    spawnSync(process.execPath, [commandPath, 'pause', folder], { stdio: 'ignore' });
    await until(
      'the crawl to rest',
      async () => (await watch({ hosts, pid, url: undefined, seconds: 1 })).pages === 0,
      60_000,
    );
    const costs: number[] = [];
    await inTurns(({ scraped, alone }) => {
      costs.push((scraped.cpuMs - alone.cpuMs) / scraped.scrapes);
      console.error(`  CPU per scrape ${costs.at(-1)?.toFixed(2)} ms`);
    });
    return { ratios, costs, pagesPerSecond: pages / (rounds * seconds), scrapeBytes };
  } finally {
    crawler.child.kill('SIGKILL');
    await crawler.ended;
    await hosts.stop();
    work.remove();
  }
}

interface Window {
  pages: number;
  cpuMs: number;
  scrapes: number;
}
type Windows = Record<'scraped' | 'alone', Window>;

interface Watched {
  hosts: RunningWeb;
  pid: number;
  /** Scraped each second; undefined: not at all. */
  url: string | undefined;
  seconds: number;
}

async function watch({ hosts, pid, url, seconds }: Watched): Promise<Window> {
  const before = { pages: (await hosts.look()).pages, cpuMs: mainThreadCpuMs(pid) };
  for (let second = 0; second < seconds; second++) {
    if (url !== undefined) await (await fetch(url)).text();
    await later(1_000);
  }
  const { pages } = await hosts.look();
  return { pages: pages - before.pages, cpuMs: mainThreadCpuMs(pid) - before.cpuMs, scrapes: seconds };
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
