// watches: packages/worker/src/session, packages/worker/src/turnstile, packages/coordinator/src/frontier/sqlite
// watches: packages/coordinator/src/ledger
// misses: the measurement of how soon hosts are asked no longer runs
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { startNetwork } from '../test/network/launcher.ts';
import { argument, until, workFolder, writeJob } from '../test/prove/lab.ts';
import type { BenchOptions, BenchResult } from './bench.ts';
import { startWeb } from './network/start-web.ts';
import type { PlainWeb, WebLook } from './network/web.ts';
import { cpuMs, machineCpuMs, waitedMs } from './process-cpu.ts';

/** Of the time of all hosts, the part in which they were being asked or left in peace as they wish. */
const bar = 0.95;
const workers = 2;

const plain = { pagesPerHost: 1_000, linksPerPage: 20, pageBytes: 5_000, latencyMs: 100 };
const sizes = {
  quick: { hosts: 200, gapMs: 1_000, measuredMs: 8_000 },
  full: { hosts: 2_000, gapMs: 4_000, measuredMs: 80_000 },
};
const warmUp = { pages: 3, withinMs: 180_000, lookEveryMs: 500 };

/**
 * Hosts that want a pause between two requests, and a network with a hand for each of them: how near it comes
 * to asking each host the very moment it may be. Hosts judge their pauses themselves, and count the time they then wait
 * in vain: pages are beside it, but hosts that began together are asked together, so their number goes up by steps.
 * Measured once every host has given three pages. `--hosts N --gap MS --seconds N --connections N`.
 */
export async function bench({ quick, args }: BenchOptions): Promise<BenchResult> {
  const size = quick ? sizes.quick : sizes.full;
  const number = (name: string, usually: number) => Number(argument(args, name) ?? usually);
  const web: PlainWeb = {
    ...plain,
    hosts: number('--hosts', size.hosts),
    gapMs: number('--gap', size.gapMs),
  };
  const measuredMs = number('--seconds', size.measuredMs / 1_000) * 1_000;
  const connections = number('--connections', Math.ceil(web.hosts / workers));
  const { before, after, ...rest } = await measure(web, { connections, measuredMs });
  const answerMs = (after.answeringMs - before.answeringMs) / (after.answers - before.answers);
  const pages = after.pages - before.pages;
  const hostsMs = web.hosts * (after.atMs - before.atMs);
  const ceiling = hostsMs / (web.gapMs + answerMs);
  const utilisation = rounded(1 - (after.idleMs - before.idleMs) / hostsMs);
  const { gapViolations, shortestGapMs, shortestSinceHandedMs, longestNoteMs } = after;
  return {
    // A host may be kept waiting by a machine at work on other things, but never be asked too soon.
    ok: gapViolations === 0 && (quick || utilisation >= bar),
    result: {
      utilisation,
      bar,
      gapViolations,
      shortestGapMs,
      shortestSinceHandedMs,
      longestNoteMs,
      pages,
      ceiling: Math.round(ceiling),
      pagesToCeiling: rounded(pages / ceiling),
      answerMs: Math.round(answerMs * 10) / 10,
      ...rest,
      load: loadavg()[0],
      sizes: { ...web, workers, connections, measuredMs, cores: cpus().length },
    },
  };
}

interface Measured {
  before: WebLook;
  after: WebLook;
  pagesPerSecond: number;
  coordinatorMsPerPage: number;
  /** Share of the time in which a worker could have gone on and had no processor: others had them. */
  waitedForCpu: number;
  /** Of all processors there are, whoever kept them so. */
  busyCores: number;
}

async function measure(
  web: PlainWeb,
  { connections, measuredMs }: { connections: number; measuredMs: number },
): Promise<Measured> {
  const work = workFolder('polite');
  const hosts = await startWeb(web);
  const job = join(work.path, 'job.json');
  await writeJob(job, hosts.job);
  const network = await startNetwork({ job, under: work.path, workers, connections });
  try {
    const warm = async () => {
      await later(warmUp.lookEveryMs);
      return (await hosts.look()).fewestPages >= warmUp.pages;
    };
    await until(`${warmUp.pages} pages of every host`, warm, warmUp.withinMs);
    const spent = () => ({
      coordinator: cpuMs(network.coordinators[0]?.pid ?? 0),
      machine: machineCpuMs(),
      waited: network.workers.reduce((sum, { pid }) => sum + waitedMs(pid ?? 0), 0) / workers,
    });
    const before = { web: await hosts.look(), cpu: spent() };
    await later(measuredMs);
    const after = { web: await hosts.look(), cpu: spent() };
    const pages = after.web.pages - before.web.pages;
    const tookMs = after.web.atMs - before.web.atMs;
    return {
      before: before.web,
      after: after.web,
      pagesPerSecond: Math.round((pages * 10_000) / tookMs) / 10,
      coordinatorMsPerPage:
        Math.round((1_000 * (after.cpu.coordinator - before.cpu.coordinator)) / pages) / 1_000,
      waitedForCpu: Math.round((100 * (after.cpu.waited - before.cpu.waited)) / tookMs) / 100,
      busyCores: Math.round((100 * (after.cpu.machine - before.cpu.machine)) / tookMs) / 100,
    };
  } finally {
    await network.end();
    await hosts.stop();
    work.remove();
  }
}

function rounded(ratio: number): number {
  return Math.round(1_000 * ratio) / 1_000;
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
