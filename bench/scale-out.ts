// watches: packages/coordinator/src/link, packages/coordinator/src/network, packages/coordinator/src/members
// watches: packages/worker/src/link
// misses: the measurement of eight workers no longer runs
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { startNetwork } from '../test/network/launcher.ts';
import { argument, until, workFolder, writeJob } from '../test/prove/lab.ts';
import type { BenchOptions, BenchResult } from './bench.ts';
import { ratioOf } from './broad/statistics.ts';
import { startWeb } from './network/start-web.ts';
import type { PlainWeb } from './network/web.ts';
import { cpuMs, machineCpuMs, waitedMs } from './process-cpu.ts';

const connections = 8;
/** Pages per second with the most workers, of that many times the rate of one. */
const bar = 0.9;
/** Milliseconds of the coordinator's CPU for each page. */
const coordinatorBar = 0.3;

const plain: Omit<PlainWeb, 'hosts'> = {
  pagesPerHost: 1_000,
  linksPerPage: 20,
  pageBytes: 5_000,
  latencyMs: 150,
  gapMs: 0,
};
/** More hosts than all workers have hands, so that it is never they who are waited for. */
const sizes = {
  quick: { workers: [1, 4], hosts: 40, warmUpMs: 0, measuredMs: 3_000, rounds: 1 },
  full: { workers: [1, 2, 4, 8], hosts: 96, warmUpMs: 15_000, measuredMs: 18_000, rounds: 3 },
};
const start = { withinMs: 120_000, lookEveryMs: 200 };

interface Measured {
  workers: number;
  pagesPerSecond: number;
  coordinatorMsPerPage: number;
  /** Share of the time in which the coordinator, or a worker, could have gone on and had no processor. */
  waitedForCpu: { coordinator: number; worker: number };
  /** Processors that were busy, by who kept them so. */
  busyCores: { coordinator: number; workers: number; origin: number; machine: number };
}

/**
 * One coordinator and 1, 2, 4 and 8 worker processes with eight connections each, on hosts that take 150 ms for an
 * answer: how much of eight times the rate of one worker eight of them reach, and what a page costs the coordinator.
 * Each size has a crawl of its own, and is measured once every host has been met and, in the whole form, V8 has compiled
 * what is used much: a coordinator runs for days. `--rounds N --seconds N`.
 */
export async function bench({ quick, args }: BenchOptions): Promise<BenchResult> {
  const size = quick ? sizes.quick : sizes.full;
  const web = { ...plain, hosts: size.hosts };
  const rounds = Number(argument(args, '--rounds') ?? size.rounds);
  const measuredMs = Number(argument(args, '--seconds') ?? size.measuredMs / 1_000) * 1_000;
  const measured: Measured[][] = [];
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? size.workers : size.workers.toReversed();
    const all: Measured[] = [];
    for (const workers of order) {
      const one = await measure(web, { workers, warmUpMs: size.warmUpMs, measuredMs });
      all.push(one);
      console.error(`  ${JSON.stringify(one)} load ${loadavg()[0]?.toFixed(1)}`);
    }
    measured.push(all.toSorted((a, b) => a.workers - b.workers));
  }
  const most = size.workers.at(-1) ?? 1;
  const efficiency = ratioOf(
    measured.map(
      (all) => (all.at(-1)?.pagesPerSecond ?? 0) / (most * (all[0]?.pagesPerSecond ?? Number.NaN)),
    ),
  );
  const coordinatorMsPerPage = ratioOf(measured.map((all) => all.at(-1)?.coordinatorMsPerPage ?? Number.NaN));
  const enough =
    (efficiency.median ?? 0) >= bar &&
    (coordinatorMsPerPage.median ?? Number.POSITIVE_INFINITY) <= coordinatorBar;
  return {
    // Over three seconds, on a machine at work on other things, the figures say nothing.
    ok: enough || quick,
    result: {
      efficiency: efficiency.median,
      interval: efficiency.interval,
      rounds: efficiency.rounds,
      bar,
      coordinatorMsPerPage: coordinatorMsPerPage.median,
      coordinatorRounds: coordinatorMsPerPage.rounds,
      coordinatorBar,
      rates: Object.fromEntries(size.workers.map((workers, n) => [workers, ratesOf(measured, n)])),
      /** What latency and connections allow. */
      mostPerWorker: round1((connections * 1_000) / web.latencyMs),
      waitedForCpu: measured.at(-1)?.at(-1)?.waitedForCpu,
      busyCores: measured.at(-1)?.at(-1)?.busyCores,
      load: loadavg()[0],
      sizes: {
        ...web,
        connections,
        workers: size.workers,
        warmUpMs: size.warmUpMs,
        measuredMs,
        cores: cpus().length,
      },
    },
  };
}

function ratesOf(measured: Measured[][], size: number): number | null {
  return ratioOf(measured.map((all) => all[size]?.pagesPerSecond ?? Number.NaN)).median;
}

async function measure(
  web: PlainWeb,
  { workers, warmUpMs, measuredMs }: { workers: number; warmUpMs: number; measuredMs: number },
): Promise<Measured> {
  const work = workFolder('scale-out');
  const hosts = await startWeb(web);
  const job = join(work.path, 'job.json');
  await writeJob(job, hosts.job);
  const network = await startNetwork({ job, under: work.path, workers, connections });
  try {
    const [coordinator] = network.coordinators;
    if (!coordinator) throw new Error('there is no coordinator');
    const look = async () => {
      const [crawl] = (await coordinator.status()).crawls;
      return {
        atMs: performance.now(),
        pages: crawl?.byStatus['200'] ?? 0,
        cpu: {
          coordinator: cpuMs(coordinator.pid ?? 0),
          workers: network.workers.reduce((sum, { pid }) => sum + cpuMs(pid ?? 0), 0),
          origin: (await hosts.look()).cpuMs,
          machine: machineCpuMs(),
        },
        waited: {
          coordinator: waitedMs(coordinator.pid ?? 0),
          worker: network.workers.reduce((sum, { pid }) => sum + waitedMs(pid ?? 0), 0) / workers,
        },
      };
    };
    const met = async () => {
      await later(start.lookEveryMs);
      return (await hosts.look()).fewestPages > 0;
    };
    await until('a page of every host', met, start.withinMs);
    await later(warmUpMs);
    const before = await look();
    await later(measuredMs);
    const after = await look();
    const pages = after.pages - before.pages;
    const tookMs = after.atMs - before.atMs;
    const cores = (who: keyof typeof after.cpu) => round2((after.cpu[who] - before.cpu[who]) / tookMs);
    return {
      workers,
      pagesPerSecond: round1((pages * 1_000) / tookMs),
      coordinatorMsPerPage: round3((after.cpu.coordinator - before.cpu.coordinator) / pages),
      waitedForCpu: {
        coordinator: round2((after.waited.coordinator - before.waited.coordinator) / tookMs),
        worker: round2((after.waited.worker - before.waited.worker) / tookMs),
      },
      busyCores: {
        coordinator: cores('coordinator'),
        workers: cores('workers'),
        origin: cores('origin'),
        machine: cores('machine'),
      },
    };
  } finally {
    await network.end();
    await hosts.stop();
    work.remove();
  }
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const rounded = (digits: number) => (value: number) => Math.round(value * 10 ** digits) / 10 ** digits;
const [round1, round2, round3] = [rounded(1), rounded(2), rounded(3)];
