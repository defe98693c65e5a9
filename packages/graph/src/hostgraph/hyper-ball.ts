import type { BallNumbers } from './ball-kernels.ts';
import { blockCount, shared } from './blocks.ts';
import type { Crew } from './crew.ts';
import type { Csr } from './csr.ts';

export interface Balls {
  /** Σ 1/distance(y, x) over all y that reach x: large where many reach a node over few links. */
  harmonic: Float64Array;
  /** Nodes that reach each node, itself among them. */
  reaching: Float64Array;
  rounds: number;
  /** One standard deviation, relative, of each of these numbers. */
  error: number;
}

/** Stated by the makers of HyperLogLog, for 2^bits registers. */
export function relativeError(bits: number): number {
  return 1.04 / Math.sqrt(2 ** bits);
}

export interface BallOptions {
  /** 2^bits registers a counter: 6 gives 13 % error in 64 bytes, 8 gives 6.5 % in 256. */
  bits?: number;
  seed?: number;
  maxRounds?: number;
  onRound?: (round: number, changed: number) => void;
}

export async function hyperBall(into: Csr, crew: Crew, options: BallOptions = {}): Promise<Balls> {
  const { bits = 6, seed = 1, maxRounds = 10_000, onRound } = options;
  const { nodes } = into;
  const blocks = blockCount(nodes);
  const words = 2 ** (bits - 2);
  const numbers: BallNumbers = {
    into,
    even: shared(Int32Array, nodes * words),
    odd: shared(Int32Array, nodes * words),
    evenChanged: shared(Uint8Array, nodes),
    oddChanged: shared(Uint8Array, nodes),
    size: shared(Float64Array, nodes),
    harmonic: shared(Float64Array, nodes),
    changed: shared(Float64Array, blocks),
    bits,
  };
  await crew.hand(numbers);
  await crew.run('ballStart', blocks, [seed]);
  let rounds = 0;
  for (let changed = nodes; changed > 0 && rounds < maxRounds; ) {
    await crew.run('ballRound', blocks, [++rounds]);
    changed = numbers.changed.reduce((sum, count) => sum + count, 0);
    onRound?.(rounds, changed);
  }
  return { harmonic: numbers.harmonic, reaching: numbers.size, rounds, error: relativeError(bits) };
}
