import { blockCount, shared } from './blocks.ts';
import type { Crew } from './crew.ts';
import type { Csr } from './csr.ts';
import type { RankNumbers } from './rank-kernels.ts';

export interface RankOptions {
  damping?: number;
  /** Ends when all ranks together changed by less; they are then within damping/(1−damping) times that of exact. */
  tolerance?: number;
  maxRounds?: number;
  onRound?: (round: number) => void;
}

export interface PageRank {
  rank: Float64Array;
  rounds: number;
  /** No rank, nor all together, is further from exact than this. */
  error: number;
}

/**
 * PageRank by the power method: a reader follows links with probability `damping`, otherwise, and from a node without
 * links, goes anywhere.
 */
export async function pageRank(
  into: Csr,
  degrees: Uint32Array,
  crew: Crew,
  options: RankOptions = {},
): Promise<PageRank> {
  const { damping = 0.85, tolerance = 1e-9, maxRounds = 1_000, onRound } = options;
  const { nodes } = into;
  const links = into.targets.length;
  const blocks = blockCount(nodes);
  const numbers: RankNumbers = {
    into,
    degrees,
    rank: shared(Float64Array, nodes).fill(1 / Math.max(1, nodes)),
    blocks,
    starts: shared(Uint32Array, blocks * blocks + 1).fill(links),
    from: shared(Uint16Array, links),
    to: shared(Uint16Array, links),
    gift: shared(Float64Array, links),
    loose: shared(Float64Array, blocks),
    change: shared(Float64Array, blocks),
  };
  let change = nodes === 0 ? 0 : Number.POSITIVE_INFINITY;
  let rounds = 0;
  await crew.hand(numbers);
  await crew.run('rankSort', blocks, []);
  while (change > tolerance && rounds < maxRounds) {
    await crew.run('rankGive', blocks, []);
    const base = (1 - damping + damping * total(numbers.loose)) / nodes;
    await crew.run('rankGather', blocks, [base, damping]);
    change = total(numbers.change);
    rounds++;
    onRound?.(rounds);
  }
  return { rank: numbers.rank, rounds, error: (change * damping) / (1 - damping) };
}

/** In the order of blocks, whichever thread computed them. */
function total(numbers: Float64Array): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
