import { closeSync, openSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { shared } from '../../packages/graph/src/hostgraph/blocks.ts';
import { createCrew } from '../../packages/graph/src/hostgraph/crew.ts';
import { type Csr, transpose } from '../../packages/graph/src/hostgraph/csr.ts';
import { createEdgeSorter } from '../../packages/graph/src/hostgraph/edge-sorter.ts';
import { hyperBall } from '../../packages/graph/src/hostgraph/hyper-ball.ts';
import { measureGraph } from '../../packages/graph/src/hostgraph/measures.ts';
import { pageRank } from '../../packages/graph/src/hostgraph/page-rank.ts';
import { powerLawLinks } from './power-law-links.ts';

/** `measure.ts JSON`: one graph, measured in a process of its own, because memory is part of the question. */
export interface MeasureOrder {
  nodes: number;
  links: number;
  seed: number;
  threads: number;
  ballRounds: number;
  tolerance: number;
  /** Write the links here, for others to measure on. */
  linksFile?: string;
}

export interface Measured {
  nodes: number;
  edges: number;
  buildSeconds: number;
  shapeSeconds: number;
  /** `cpuSeconds` is all of it, sorting links by blocks and starting rounds among it. */
  rank: Rounds & { cpuSeconds: number };
  ball: Rounds;
  rssMiB: number;
}

/** The median round, by the clock and in CPU time of all threads. */
export interface Rounds {
  rounds: number;
  secondsPerRound: number;
  cpuSecondsPerRound: number;
}

const order = JSON.parse(process.argv[2] ?? '{}') as MeasureOrder;
process.stdout.write(`${JSON.stringify(await measure(order))}\n`);

async function measure({ nodes, links, seed, threads, ballRounds, tolerance, linksFile }: MeasureOrder) {
  const built = await timed(() => build(nodes, links, seed));
  const { into, degrees } = built.value;
  if (linksFile !== undefined) writeLinks(linksFile, into);
  const crew = createCrew(threads);
  try {
    const [ranks, balls] = [roundClock(), roundClock()];
    const rank = await timed(() => pageRank(into, degrees, crew, { tolerance, onRound: ranks.onRound }));
    await hyperBall(into, crew, { bits: 6, maxRounds: ballRounds, onRound: balls.onRound });
    const out = transpose(into, (length) => shared(Uint32Array, length));
    const shape = await timed(() => measureGraph({ out, into }));
    const measured: Measured = {
      nodes,
      edges: into.targets.length,
      buildSeconds: built.seconds,
      shapeSeconds: shape.seconds,
      rank: { ...ranks.median(), cpuSeconds: rank.cpuSeconds },
      ball: balls.median(),
      rssMiB: Math.round(process.resourceUsage().maxRSS / 1_024),
    };
    return measured;
  } finally {
    await crew.close();
  }
}

/** From each round's end to the next one's: what comes before the first, and the first itself, are not counted. */
function roundClock() {
  const ends: { wall: number; cpu: number }[] = [];
  return {
    onRound(): void {
      const { user, system } = process.cpuUsage();
      ends.push({ wall: performance.now() / 1_000, cpu: (user + system) / 1e6 });
    },
    median(): Rounds {
      const middle = (kind: 'wall' | 'cpu'): number =>
        ends
          .slice(1)
          .map((end, n) => end[kind] - ends[n]![kind])
          .toSorted((a, b) => a - b)[(ends.length - 1) >> 1] ?? Number.NaN;
      return { rounds: ends.length, secondsPerRound: middle('wall'), cpuSecondsPerRound: middle('cpu') };
    },
  };
}

async function timed<T>(
  work: () => T | Promise<T>,
): Promise<{ value: T; seconds: number; cpuSeconds: number }> {
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const value = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { value, seconds: (performance.now() - began) / 1_000, cpuSeconds: (user + system) / 1e6 };
}

/** Sorted by where links lead: what PageRank and HyperBall read. */
async function build(
  nodes: number,
  links: number,
  seed: number,
): Promise<{ into: Csr; degrees: Uint32Array }> {
  const sorter = await createEdgeSorter({ folder: tmpdir() });
  try {
    for (const [from, to] of powerLawLinks(nodes, links, seed)) sorter.add(to, from);
    const { out: into } = sorter.finish(nodes, { make: (length) => shared(Uint32Array, length) });
    const degrees = shared(Uint32Array, nodes);
    for (const from of into.targets) degrees[from]!++;
    return { into, degrees };
  } finally {
    await sorter.close();
  }
}

/** Pairs of 64-bit numbers. */
function writeLinks(file: string, { nodes, offsets, targets }: Csr): void {
  const handle = openSync(file, 'w');
  const chunk = new BigInt64Array(2 * 65_536);
  let used = 0;
  for (let node = 0; node < nodes; node++) {
    for (let e = offsets[node] as number; e < (offsets[node + 1] as number); e++) {
      chunk[used++] = BigInt(targets[e] as number);
      chunk[used++] = BigInt(node);
      if (used === chunk.length) used = flush(handle, chunk, used);
    }
  }
  flush(handle, chunk, used);
  closeSync(handle);
}

function flush(handle: number, chunk: BigInt64Array, used: number): 0 {
  writeSync(handle, new Uint8Array(chunk.buffer, 0, 8 * used));
  return 0;
}
