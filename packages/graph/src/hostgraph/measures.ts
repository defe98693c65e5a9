import { type BowTie, shapeOf } from './bow-tie.ts';
import { createCrew, threadsFor } from './crew.ts';
import type { Csr } from './csr.ts';
import { degreeCounts, degreesOf, reciprocity } from './degrees.ts';
import { exactHarmonic } from './harmonic.ts';
import { hyperBall } from './hyper-ball.ts';
import { pageRank } from './page-rank.ts';
import { fitPowerLaw, type PowerLaw } from './power-law.ts';
import { shared } from './blocks.ts';

/** What is said of a whole graph. */
export interface GraphMeasures {
  nodes: number;
  links: number;
  /** Part of the links that are answered by a link back. */
  reciprocity: number;
  strongComponents: number;
  weakComponents: number;
  largestStrong: number;
  largestWeak: number;
  bowTie: BowTie;
  inDegrees: { degree: number; nodes: number }[];
  outDegrees: { degree: number; nodes: number }[];
  /** Of the in-degrees; absent where too few nodes are linked to. */
  powerLaw?: PowerLaw;
}

/** What is said of each node. */
export interface Centrality {
  inDegree: Uint32Array;
  outDegree: Uint32Array;
  pageRank: Float64Array;
  /** Σ 1/distance from all others: many reach it, over few links. */
  harmonic: Float64Array;
  /** Relative standard deviation of `harmonic`; 0 where it was counted exactly. */
  harmonicError: number;
}

export interface Directed {
  out: Csr;
  into: Csr;
}

export function measureGraph({ out, into }: Directed): GraphMeasures {
  const shape = shapeOf(out, into);
  const inDegrees = degreeCounts(degreesOf(into));
  const powerLaw = fitPowerLaw(inDegrees);
  return {
    nodes: out.nodes,
    links: out.targets.length,
    reciprocity: reciprocity(out, into),
    strongComponents: shape.strong.count,
    weakComponents: shape.weak.count,
    largestStrong: shape.largestStrong,
    largestWeak: shape.largestWeak,
    bowTie: shape.bowTie,
    inDegrees,
    outDegrees: degreeCounts(degreesOf(out)),
    ...(powerLaw ? { powerLaw } : {}),
  };
}

/** One search from every node costs nodes × links steps; up to here that takes about a second. */
const affordableSteps = 2e8;

/** Harmonic centrality is exact in small graphs, and estimated with a stated error in large ones. */
export async function centrality({ out, into }: Directed, threads?: number): Promise<Centrality> {
  const outDegree = shared(Uint32Array, out.nodes);
  outDegree.set(degreesOf(out));
  const crew = createCrew(threads ?? threadsFor(out.targets.length));
  try {
    const { rank } = await pageRank(into, outDegree, crew);
    const isSmall = out.nodes * (out.targets.length + out.nodes) <= affordableSteps;
    const balls = isSmall
      ? { harmonic: exactHarmonic(out), error: 0 }
      : await hyperBall(into, crew, { bits: 8 });
    return {
      inDegree: degreesOf(into),
      outDegree,
      pageRank: rank,
      harmonic: balls.harmonic,
      harmonicError: balls.error,
    };
  } finally {
    await crew.close();
  }
}
