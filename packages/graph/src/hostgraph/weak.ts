import type { Csr } from './csr.ts';
import type { Components } from './strong.ts';

/** Weakly connected components: what hangs together when the direction of links is left aside. Union and find. */
export function weakComponents({ nodes, offsets, targets }: Csr): Components {
  const parent = new Uint32Array(nodes);
  for (let node = 0; node < nodes; node++) parent[node] = node;
  const find = (start: number): number => {
    let node = start;
    for (let up = parent[node] as number; up !== node; up = parent[node] as number) {
      parent[node] = parent[up] as number;
      node = parent[node] as number;
    }
    return node;
  };
  for (let node = 0; node < nodes; node++) {
    const end = offsets[node + 1] as number;
    for (let e = offsets[node] as number; e < end; e++) {
      const a = find(node);
      const b = find(targets[e] as number);
      // The lower number wins, so that a component's root is its first node.
      if (a < b) parent[b] = a;
      else parent[a] = b;
    }
  }
  let count = 0;
  const of = new Uint32Array(nodes);
  for (let node = 0; node < nodes; node++) {
    const root = find(node);
    of[node] = root === node ? count++ : (of[root] as number);
  }
  return { of, count };
}
