// watches: packages/graph/src/hostgraph, packages/graph/src/dependency
// misses: the measurement of PageRank and HyperBall no longer runs
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonFor } from '../test/outside/python.ts';
import type { BenchOptions, BenchResult } from './bench.ts';
import type { Measured, MeasureOrder, Rounds } from './graph/measure.ts';

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
    ballRounds: 4,
  },
} as const;
const bars = { rssMiB: 6 * 1_024, flatness: 0.5, oursToIgraph: 0.3 };
/** The small sizes of the quick form lie in caches of their own, and their rounds are too short to be judged closely. */
const quickFlatness = 0.2;
/** PRPACK's own, so that both do the same work. */
const tolerance = 1e-10;

/**
 * Rounds of PageRank and HyperBall on made-up webs of two sizes, each in a process of its own, the smaller before and
 * after the larger; igraph's PageRank on the smaller. Flatness is links a second of CPU time of all threads, larger to
 * smaller, because that is steadier than a shared machine's clock, which is told beside it (`wallFlatness`); seconds a
 * round are by the clock. `--small-only` leaves the larger size out.
 */
export async function bench({ quick, args }: BenchOptions): Promise<BenchResult> {
  const size = quick ? sizes.quick : sizes.full;
  const folder = await mkdtemp(join(tmpdir(), 'webfarer-bench-graph-'));
  try {
    const linksFile = join(folder, 'links');
    const always = { seed: 1, ballRounds: size.ballRounds, tolerance, threads: availableParallelism() };
    const before = await measure({ ...size.small, ...always, linksFile });
    const igraph = await measureIgraph(before.nodes, linksFile);
    const large = args.includes('--small-only') ? before : await measure({ ...size.large, ...always });
    const after = await measure({ ...size.small, ...always });
    const smalls = [before, after];
    const flat = {
      rankFlatness: flatness(large, smalls, { of: 'rank', by: 'cpuSecondsPerRound' }),
      ballFlatness: flatness(large, smalls, { of: 'ball', by: 'cpuSecondsPerRound' }),
    };
    const least = Math.min(...Object.values(flat));
    const oursToIgraph =
      igraph === undefined ? null : rounded((2 * igraph) / (before.rank.cpuSeconds + after.rank.cpuSeconds));
    const rssMiB = Math.max(before.rssMiB, large.rssMiB);
    const isQuickEnough = oursToIgraph === null || oursToIgraph >= bars.oursToIgraph;
    return {
      ok: rssMiB < bars.rssMiB && least >= (quick ? quickFlatness : bars.flatness) && isQuickEnough,
      result: {
        edgesPerSec: Math.round(large.edges / large.rank.secondsPerRound),
        ballEdgesPerSec: Math.round(large.edges / large.ball.secondsPerRound),
        flatness: least,
        ...flat,
        wallFlatness: {
          rank: flatness(large, smalls, { of: 'rank', by: 'secondsPerRound' }),
          ball: flatness(large, smalls, { of: 'ball', by: 'secondsPerRound' }),
        },
        rssMiB,
        oursToIgraph,
        small: smalls,
        large,
        igraphSeconds: igraph ?? null,
        sizes: size,
      },
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Question {
  of: 'rank' | 'ball';
  by: Exclude<keyof Rounds, 'rounds'>;
}

/** Links a second, the larger to the mean of the smaller's runs. */
function flatness(large: Measured, smalls: readonly Measured[], { of, by }: Question): number {
  const perLink = (measured: Measured): number => measured[of][by] / measured.edges;
  const mean = smalls.reduce((sum, small) => sum + perLink(small), 0) / smalls.length;
  return rounded(mean / perLink(large));
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
