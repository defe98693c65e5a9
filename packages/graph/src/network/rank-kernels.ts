import { eachNode } from './blocks.ts';
import type { Csr } from './csr.ts';

/** The numbers of a PageRank computation, which threads share. */
export interface RankNumbers {
  /** Who links to each node. */
  into: Csr;
  /** How many nodes each one links to. */
  degrees: Uint32Array;
  rank: Float64Array;
  /** What a node gives to each it links to. */
  gift: Float64Array;
  /** One number a block: ranks of nodes without links, then how much ranks changed. */
  loose: Float64Array;
  change: Float64Array;
}

/** Prepares what nodes give in this round. */
export function rankGifts({ degrees, rank, gift, loose }: RankNumbers, block: number): void {
  let sum = 0;
  const [first, end] = eachNode(rank.length, block);
  for (let node = first; node < end; node++) {
    const degree = degrees[node] as number;
    if (degree === 0) sum += rank[node] as number;
    gift[node] = degree === 0 ? 0 : (rank[node] as number) / degree;
  }
  loose[block] = sum;
}

/** Each node gathers from those that link to it, in their order: threads change nothing about the sums. */
export function rankGather(numbers: RankNumbers, block: number, [base = 0, damping = 0]: number[]): void {
  const { rank, gift, change } = numbers;
  const { offsets, targets: sources } = numbers.into;
  let changed = 0;
  const [first, end] = eachNode(rank.length, block);
  let e = offsets[first] as number;
  for (let node = first; node < end; node++) {
    const last = offsets[node + 1] as number;
    let sum = 0;
    for (; e < last; e++) sum += gift[sources[e] as number] as number;
    const next = base + damping * sum;
    changed += Math.abs(next - (rank[node] as number));
    rank[node] = next;
  }
  change[block] = changed;
}
