import { blockNodes, eachNode } from './blocks.ts';
import type { Csr } from './csr.ts';

/**
 * The numbers of a PageRank computation, which threads share. Gifts go by way of memory that is written and read in
 * order (propagation blocking; Beamer, Asanović and Patterson 2017), because ranks looked up one by one would each have
 * to be fetched from far away in a large graph. Links stand by the block they lead to, then by the block they come from.
 */
export interface RankNumbers {
  /** Who links to each node. */
  into: Csr;
  /** How many nodes each one links to. */
  degrees: Uint32Array;
  rank: Float64Array;
  blocks: number;
  /** Where the links to a block from a block begin. */
  starts: Uint32Array;
  /** Of each link: the two nodes' places in their blocks, and what goes over it. */
  from: Uint16Array;
  to: Uint16Array;
  gift: Float64Array;
  /** One number a block: ranks of nodes without links, then how much ranks changed. */
  loose: Float64Array;
  change: Float64Array;
}

/** Of the nodes of the block that a thread is at. */
const own = new Float64Array(blockNodes);

/** Once, before the first round: sorts the links to a block by where they come from; those to one node stay in order. */
export function rankSort({ into, blocks, starts, from, to }: RankNumbers, block: number): void {
  const { offsets, targets: sources } = into;
  const [first, end] = eachNode(into.nodes, block);
  const next = new Uint32Array(blocks);
  const last = offsets[end] as number;
  for (let e = offsets[first] as number; e < last; e++) next[blockOf(sources[e] as number)]!++;
  let at = offsets[first] as number;
  for (let other = 0; other < blocks; other++) {
    const count = next[other] as number;
    next[other] = starts[block * blocks + other] = at;
    at += count;
  }
  let e = offsets[first] as number;
  for (let node = first; node < end; node++) {
    for (const rowEnd = offsets[node + 1] as number; e < rowEnd; e++) {
      const source = sources[e] as number;
      const place = next[blockOf(source)]!++;
      from[place] = source % blockNodes;
      to[place] = node - first;
    }
  }
}

function blockOf(node: number): number {
  return Math.floor(node / blockNodes);
}

/** The nodes of a block give: what they have, in equal parts, over each of their links. */
export function rankGive(numbers: RankNumbers, block: number): void {
  const { degrees, rank, loose, blocks, starts, from, gift } = numbers;
  let sum = 0;
  const [first, end] = eachNode(rank.length, block);
  for (let node = first; node < end; node++) {
    const degree = degrees[node] as number;
    if (degree === 0) sum += rank[node] as number;
    own[node - first] = degree === 0 ? 0 : (rank[node] as number) / degree;
  }
  loose[block] = sum;
  for (let other = 0; other < blocks; other++) {
    const last = starts[other * blocks + block + 1] as number;
    for (let e = starts[other * blocks + block] as number; e < last; e++)
      gift[e] = own[from[e] as number] as number;
  }
}

/** The nodes of a block gather what they were given, in the order of givers: threads change nothing about the sums. */
export function rankGather(numbers: RankNumbers, block: number, [base = 0, damping = 0]: number[]): void {
  const { rank, change, blocks, starts, to, gift } = numbers;
  const [first, end] = eachNode(rank.length, block);
  own.fill(0, 0, end - first);
  const last = starts[(block + 1) * blocks] as number;
  for (let e = starts[block * blocks] as number; e < last; e++) own[to[e] as number]! += gift[e] as number;
  let changed = 0;
  for (let node = first; node < end; node++) {
    const next = base + damping * (own[node - first] as number);
    changed += Math.abs(next - (rank[node] as number));
    rank[node] = next;
  }
  change[block] = changed;
}
