import { randomFrom, seedOf } from '../fuzz/random.ts';
import type { WebSize } from '../fake-web/hosts.ts';
import { startFakeWeb } from '../fake-web/server.ts';
import { workFolder } from '../prove/lab.ts';
import { faultTimeoutMs } from './fault-job.ts';
import { startNetworkSystem } from './network-system.ts';
import { emptyRow, finishCrawl, type RowResult } from './run-row.ts';
import { strikes } from './strikes.ts';
import type { System } from './system.ts';

export interface ChurnResult extends RowResult {
  /** Requests a second before anybody came or went, and while they did. */
  steadyPerSecond: number;
  churnPerSecond: number;
  /** The second as a part of the first. */
  throughput: number;
}

export interface ChurnOptions {
  web: WebSize;
  count: number;
  seed: number;
}

const everyMs = 2_000;
const steadyMs = 40_000;
/**
 * So long that the hosts, not the machine, say how fast the crawl can be, and that none of them is done before the
 * churn is: the smallest host has some 45 pages in S and 80 in M.
 */
const gaps: Record<WebSize, (churnMs: number) => number> = {
  S: (churnMs) => (steadyMs + churnMs) / 40,
  M: (churnMs) => (steadyMs + churnMs) / 70,
  L: () => 1_000,
};

/** Coordinators and workers join and leave every two seconds, while the rate of the crawl is watched. */
export async function runChurn({ web, count, seed }: ChurnOptions): Promise<ChurnResult> {
  const folder = workFolder('faults-churn');
  const fake = await startFakeWeb({ size: web, seed: 3, longestFetchMs: faultTimeoutMs });
  const gapMs = Math.round(gaps[web](count * everyMs));
  const result = emptyRow();
  try {
    const under = folder.path;
    const system = await startNetworkSystem({ fake, store: 'cluster', workers: 3, under, gapMs, wide: true });
    try {
      // All hosts have begun.
      await pause(3 * gapMs);
      const steadyPerSecond = await rateOver(system, steadyMs, () => pause(steadyMs));
      const churnPerSecond = await rateOver(system, count * everyMs, () =>
        churn(system, count, seed, result),
      );
      await finishCrawl(system, result);
      return { ...result, steadyPerSecond, churnPerSecond, throughput: churnPerSecond / steadyPerSecond };
    } finally {
      await system.stop();
    }
  } finally {
    await fake.stop();
    folder.remove();
  }
}

async function churn(system: System, count: number, seed: number, result: RowResult): Promise<void> {
  const random = randomFrom(seedOf('churn', seed));
  const began = performance.now();
  for (let n = 0; n < count && !(await system.isOver()); n++) {
    const what = await strikes.churn(system, random, n);
    const problem = system.problem();
    if (problem !== undefined) throw new Error(problem);
    if (what !== undefined) result.faults++;
    console.error(`    ${n + 1}: ${what} (${Math.round((performance.now() - began) / 1_000)} s)`);
    await pause(Math.max(0, began + (n + 1) * everyMs - performance.now()));
  }
}

/** Requests a second while something goes on; it may take longer than planned. */
async function rateOver(system: System, plannedMs: number, work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  const { requests } = await system.fake.stats();
  await work();
  const { requests: then } = await system.fake.stats();
  const tookMs = Math.max(plannedMs, performance.now() - began);
  return Math.round(((then - requests) / tookMs) * 10_000) / 10;
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
