import type { Csr } from './csr.ts';

/** Σ 1/distance(y, x) over all y ≠ x that reach x, exactly: one search from every node, so only for small graphs. */
export function exactHarmonic({ nodes, offsets, targets }: Csr): Float64Array {
  const harmonic = new Float64Array(nodes);
  const distance = new Int32Array(nodes);
  const queue = new Uint32Array(nodes);
  for (let start = 0; start < nodes; start++) {
    distance.fill(-1);
    distance[start] = 0;
    queue[0] = start;
    let end = 1;
    for (let at = 0; at < end; at++) {
      const node = queue[at] as number;
      const next = (distance[node] as number) + 1;
      for (let e = offsets[node] as number; e < (offsets[node + 1] as number); e++) {
        const to = targets[e] as number;
        if (distance[to] !== -1) continue;
        distance[to] = next;
        queue[end++] = to;
        harmonic[to]! += 1 / next;
      }
    }
  }
  return harmonic;
}
