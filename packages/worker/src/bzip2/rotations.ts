/** Of two bytes each. */
const pairs = 65_536;

/**
 * The starts of all rotations of a block, in the order of the rotations: what a block is sorted by (Burrows and
 * Wheeler). Ranks by 2, 4, 8… bytes follow from each other, so repetitive pages take hardly longer than others.
 */
export function sortedRotations(block: Uint8Array): Int32Array {
  const n = block.length;
  const order = new Int32Array(n);
  const shifted = new Int32Array(n);
  const starts = new Int32Array(Math.max(n, pairs) + 1);
  let rank = new Int32Array(n);
  let next = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    shifted[i] = i;
    rank[i] = ((block[i] ?? 0) << 8) | (block[i + 1 === n ? 0 : i + 1] ?? 0);
  }
  countingSort(shifted, order, { rank, starts, ranks: pairs });
  let ranks = rerank(order, rank, 0, next);
  [rank, next] = [next, rank];
  for (let width = 2; width < n && ranks < n; width *= 2) {
    // Already in the order of their second halves, so a stable sort by the first is enough.
    for (let i = 0; i < n; i++) {
      const start = (order[i] ?? 0) - width;
      shifted[i] = start < 0 ? start + n : start;
    }
    countingSort(shifted, order, { rank, starts, ranks });
    ranks = rerank(order, rank, width, next);
    [rank, next] = [next, rank];
  }
  return order;
}

interface SortBy {
  rank: Int32Array;
  /** Room for the count of each rank. */
  starts: Int32Array;
  ranks: number;
}

/** Stable, by the rank of each. */
function countingSort(from: Int32Array, to: Int32Array, { rank, starts, ranks }: SortBy): void {
  const n = from.length;
  starts.fill(0, 0, ranks + 1);
  for (let i = 0; i < n; i++) {
    const after = (rank[i] ?? 0) + 1;
    starts[after] = (starts[after] ?? 0) + 1;
  }
  for (let i = 1; i <= ranks; i++) starts[i] = (starts[i] ?? 0) + (starts[i - 1] ?? 0);
  for (let i = 0; i < n; i++) {
    const each = from[i] ?? 0;
    const own = rank[each] ?? 0;
    const at = starts[own] ?? 0;
    to[at] = each;
    starts[own] = at + 1;
  }
}

/** Equal rotations share a rank; answers how many ranks there are. */
function rerank(order: Int32Array, rank: Int32Array, width: number, next: Int32Array): number {
  const n = order.length;
  let current = 0;
  for (let i = 0; i < n; i++) {
    const here = order[i] ?? 0;
    const before = order[i === 0 ? 0 : i - 1] ?? 0;
    if (rank[here] !== rank[before] || rank[(here + width) % n] !== rank[(before + width) % n]) current += 1;
    next[here] = current;
  }
  return current + 1;
}
