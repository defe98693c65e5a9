// watches: packages/graph/src/hostgraph, packages/graph/src/stats
// misses: wrong PageRank, components and exponents
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { randomNumbers } from '../../bench/random.ts';
import { createCrew } from '../../packages/graph/src/hostgraph/crew.ts';
import { transpose } from '../../packages/graph/src/hostgraph/csr.ts';
import { degreesOf, reciprocity } from '../../packages/graph/src/hostgraph/degrees.ts';
import { createEdgeSorter } from '../../packages/graph/src/hostgraph/edge-sorter.ts';
import { exactHarmonic } from '../../packages/graph/src/hostgraph/harmonic.ts';
import { hyperBall } from '../../packages/graph/src/hostgraph/hyper-ball.ts';
import { measureGraph } from '../../packages/graph/src/hostgraph/measures.ts';
import { pageRank } from '../../packages/graph/src/hostgraph/page-rank.ts';
import { strongComponents } from '../../packages/graph/src/hostgraph/strong.ts';
import { weakComponents } from '../../packages/graph/src/hostgraph/weak.ts';
import { type RandomGraph, randomGraph } from '../network/random-graph.ts';
import { pythonFor } from '../outside/python.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { argument } from './lab.ts';

const sizes = { quick: { graphs: 40, maxNodes: 400 }, full: { graphs: 100, maxNodes: 1_500 } } as const;
const exactBar = 1e-6;
/** A fit is found by climbing, by igraph as by us. */
const exponentBar = 1e-3;
const ballBits = [6, 8];
/** No estimate may be further off than so many of its standard deviations, */
const mostDeviations = 5;
/** apart from so many nodes: of a few that reach a node, two may by chance look like one. */
const hidden = 2;

interface Judged {
  pageRank: number[];
  harmonic: number[];
  strong: number[];
  weak: number[];
  reciprocity: number;
  exponent: number | null;
}

/**
 * PageRank, harmonic centrality, components, reciprocity and power-law exponents are those of igraph, on random
 * graphs; HyperBall's estimates are as exact as they say. `--graphs N --seed 1`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const count = Number(argument(args, '--graphs') ?? size.graphs);
  const seed = Number(argument(args, '--seed') ?? 1);
  const random = randomNumbers(seed);
  const judge = startJudge(await pythonFor('igraph'));
  const total = { maxError: 0, componentErrors: 0, exponentError: 0, fits: 0 };
  const balls = ballBits.map((bits) => ({ bits, squares: 0, nodes: 0, worst: 0, stated: 0 }));
  try {
    for (let n = 0; n < count; n++) {
      const graph = randomGraph(random, size.maxNodes);
      const own = await measure(graph);
      const right = await judge.ask(graph, own.powerLaw?.from ?? null);
      total.maxError = Math.max(total.maxError, ...errorsOf(own, right));
      total.componentErrors += own.components.filter(
        (own, at) => !isSame(own, [right.strong, right.weak][at]!),
      ).length;
      if (own.powerLaw && right.exponent !== null) {
        total.fits++;
        total.exponentError = Math.max(total.exponentError, Math.abs(own.powerLaw.exponent - right.exponent));
      }
      for (const ball of balls) await estimate(own.into, right.harmonic, { ball, seed: n });
    }
  } finally {
    judge.stop();
  }
  const estimates = balls.map(({ bits, squares, nodes, worst, stated }) => ({
    bits,
    stated,
    deviation: Math.sqrt(squares / nodes),
    worst,
  }));
  const isWithin = estimates.every((e) => e.deviation <= e.stated && e.worst <= mostDeviations * e.stated);
  const isExact = total.maxError <= exactBar && total.componentErrors === 0;
  const isFit = total.exponentError <= exponentBar && total.fits > 0;
  return {
    ok: isExact && isWithin && isFit,
    result: { graphs: count, ...total, hyperBall: estimates, sizes: { ...size, seed } },
  };
}

async function measure({ nodes, edges }: RandomGraph) {
  // A buffer far too small, so that files are merged too.
  const sorter = await createEdgeSorter({ folder: tmpdir(), maxPairs: 500 });
  try {
    for (const [from, to] of edges) sorter.add(from, to);
    const { out } = sorter.finish(nodes);
    const into = transpose(out);
    const { powerLaw } = measureGraph({ out, into });
    return {
      into,
      powerLaw,
      rank: (await pageRank(into, degreesOf(out), createCrew(0))).rank,
      harmonic: exactHarmonic(out),
      components: [strongComponents(out).of, weakComponents(out).of],
      reciprocity: reciprocity(out, into),
    };
  } finally {
    await sorter.close();
  }
}

function errorsOf(own: Awaited<ReturnType<typeof measure>>, right: Judged): number[] {
  return [
    largestError(own.rank, right.pageRank),
    largestError(own.harmonic, right.harmonic),
    Math.abs(own.reciprocity - right.reciprocity),
  ];
}

function largestError(own: Float64Array, right: readonly number[]): number {
  if (own.length !== right.length) return Number.POSITIVE_INFINITY;
  return own.reduce((most, value, node) => {
    const error = Math.abs(value - (right[node] as number));
    return error <= most ? most : error;
  }, 0);
}

/** The same parts, whatever their numbers. */
function isSame(own: Uint32Array, right: readonly number[]): boolean {
  const names = new Map<number, number>();
  const taken = new Set(right);
  return own.every((part, node) => {
    const name = names.get(part) ?? (right[node] as number);
    if (!names.has(part) && !taken.delete(name)) return false;
    names.set(part, name);
    return name === right[node];
  });
}

interface Ball {
  bits: number;
  squares: number;
  nodes: number;
  worst: number;
  stated: number;
}

async function estimate(
  into: Awaited<ReturnType<typeof measure>>['into'],
  right: readonly number[],
  { ball, seed }: { ball: Ball; seed: number },
): Promise<void> {
  const { harmonic, error } = await hyperBall(into, createCrew(0), {
    bits: ball.bits,
    seed: seed * 7919 + 1,
  });
  ball.stated = error;
  harmonic.forEach((value, node) => {
    const exact = right[node] as number;
    // What nobody links to must be 0 exactly.
    const off = exact === 0 ? (value === 0 ? 0 : Number.POSITIVE_INFINITY) : Math.abs(value / exact - 1);
    ball.squares += off * off;
    ball.nodes++;
    const beyond = Math.abs(value - exact) - hidden;
    ball.worst = Math.max(ball.worst, off === Number.POSITIVE_INFINITY ? off : beyond / Math.max(exact, 1));
  });
}

/** igraph in a process of its own: a line in, a line out. */
function startJudge(python: string) {
  const child = spawn(python, [join(import.meta.dirname, '../network/igraph_measures.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, 'exit').then(() => undefined);
  return {
    async ask({ nodes, edges }: RandomGraph, from: number | null): Promise<Judged> {
      const answer = Promise.race([once(lines, 'line') as Promise<[string]>, ended]);
      child.stdin.write(`${JSON.stringify({ nodes, edges, from })}\n`);
      const line = (await answer)?.[0];
      if (line === undefined) throw new Error('igraph has ended');
      return JSON.parse(line) as Judged;
    },
    stop: () => child.stdin.end(),
  };
}
