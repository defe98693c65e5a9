import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonFor } from '../test/outside/python.ts';
import type { BenchOptions, BenchResult } from './bench.ts';
import type { Measured, MeasureOrder } from './graph/measure.ts';

const run = promisify(execFile);

const sizes = {
  quick: {
    small: { nodes: 50_000, links: 500_000 },
    large: { nodes: 200_000, links: 2_000_000 },
    ballRounds: 4,
  },
  full: {
    small: { nodes: 1_000_000, links: 10_000_000 },
    large: { nodes: 10_000_000, links: 100_000_000 },
    ballRounds: 6,
  },
} as const;
const bars = { rssMiB: 6 * 1_024, flatness: 0.5, oursToIgraph: 0.3 };
/** PRPACK's own, so that both do the same work. */
const tolerance = 1e-10;

/**
 * Rounds of PageRank and HyperBall on made-up webs of two sizes, each in a process of its own; igraph's PageRank on the
 * smaller. Ratios are of CPU time, because that is steadier than a shared machine's clock; seconds a round are by the
 * clock, with all processors. `--small-only` leaves the larger size out.
 */
export async function bench({ quick, args }: BenchOptions): Promise<BenchResult> {
  const size = quick ? sizes.quick : sizes.full;
  const folder = await mkdtemp(join(tmpdir(), 'webfarer-bench-graph-'));
  try {
    const linksFile = join(folder, 'links');
    const always = { seed: 1, ballRounds: size.ballRounds, tolerance, threads: availableParallelism() };
    const small = await measure({ ...size.small, ...always, linksFile });
    const igraph = await measureIgraph(small.nodes, linksFile);
    const large = args.includes('--small-only') ? small : await measure({ ...size.large, ...always });
    const flatness = Math.min(
      rate(large, 'rank') / rate(small, 'rank'),
      rate(large, 'ball') / rate(small, 'ball'),
    );
    const oursToIgraph = igraph === undefined ? null : igraph / small.rank.cpuSeconds;
    const rssMiB = Math.max(small.rssMiB, large.rssMiB);
    const isQuickEnough = oursToIgraph === null || oursToIgraph >= bars.oursToIgraph;
    return {
      ok: rssMiB < bars.rssMiB && flatness >= bars.flatness && isQuickEnough,
      result: {
        edgesPerSec: Math.round(large.edges / large.rank.secondsPerRound),
        ballEdgesPerSec: Math.round(large.edges / large.ball.secondsPerRound),
        flatness: rounded(flatness),
        rankFlatness: rounded(rate(large, 'rank') / rate(small, 'rank')),
        ballFlatness: rounded(rate(large, 'ball') / rate(small, 'ball')),
        rssMiB,
        oursToIgraph: oursToIgraph === null ? null : rounded(oursToIgraph),
        small,
        large,
        igraphSeconds: igraph ?? null,
        sizes: size,
      },
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Links a second of CPU time. */
function rate(measured: Measured, what: 'rank' | 'ball'): number {
  return measured.edges / measured[what].cpuSecondsPerRound;
}

async function measure(order: MeasureOrder): Promise<Measured> {
  const path = join(import.meta.dirname, 'graph/measure.ts');
  const { stdout } = await run(process.execPath, [path, JSON.stringify(order)], { maxBuffer: 1 << 24 });
  const measured = JSON.parse(stdout) as Measured;
  const { nodes, edges, rank, ball, rssMiB } = measured;
  const each = `PageRank ${rank.secondsPerRound.toFixed(2)} s, HyperBall ${ball.secondsPerRound.toFixed(2)} s a round`;
  console.error(`  ${nodes} nodes, ${edges} links: ${each}, ${rssMiB} MiB`);
  return measured;
}

/** CPU seconds of its PageRank; undefined where it cannot be had. */
async function measureIgraph(nodes: number, links: string): Promise<number | undefined> {
  try {
    const script = join(import.meta.dirname, 'graph/igraph_rank.py');
    const { stdout } = await run(await pythonFor('igraph'), [script, String(nodes), links]);
    const { seconds } = JSON.parse(stdout) as { seconds: number };
    console.error(`  igraph: PageRank in ${seconds.toFixed(2)} s of CPU time`);
    return seconds;
  } catch (error) {
    console.error(`  igraph cannot be measured: ${(error as Error).message.split('\n')[0]}`);
    return undefined;
  }
}

function rounded(ratio: number): number {
  return Math.round(ratio * 100) / 100;
}
