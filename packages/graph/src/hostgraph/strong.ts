import type { Csr } from './csr.ts';

export interface Components {
  /** Of each node. In strong components, links lead only to the same or to lower numbers. */
  of: Uint32Array;
  count: number;
}

const unseen = 0xffffffff;

/**
 * Strongly connected components (Tarjan, after Pearce's variant with one number a node), without recursion: a path may
 * be as long as the graph. A component is numbered when all it leads to has been.
 */
export function strongComponents({ nodes, offsets, targets }: Csr): Components {
  const of = new Uint32Array(nodes).fill(unseen);
  /** Lowest visit reachable so far; meaningful while a node is on one of the stacks. */
  const low = new Uint32Array(nodes);
  const next = offsets.slice(0, nodes);
  const path = new Uint32Array(nodes);
  const open = new Uint32Array(nodes);
  const rootSoFar = new Uint8Array(nodes);
  let opened = 0;
  let visits = 0;
  let count = 0;
  for (let root = 0; root < nodes; root++) {
    if (low[root] !== 0) continue;
    let depth = 0;
    path[0] = root;
    low[root] = ++visits;
    let isRoot = true;
    while (depth >= 0) {
      const node = path[depth] as number;
      const end = offsets[node + 1] as number;
      let down = unseen;
      while ((next[node] as number) < end) {
        const to = targets[next[node]!++] as number;
        if (low[to] === 0) {
          down = to;
          break;
        }
        if (of[to] === unseen && (low[to] as number) < (low[node] as number)) {
          low[node] = low[to] as number;
          isRoot = false;
        }
      }
      if (down !== unseen) {
        rootSoFar[depth] = isRoot ? 1 : 0;
        isRoot = true;
        path[++depth] = down;
        low[down] = ++visits;
        continue;
      }
      if (isRoot) {
        while (opened > 0 && (low[open[opened - 1] as number] as number) >= (low[node] as number))
          of[open[--opened] as number] = count;
        of[node] = count++;
      } else open[opened++] = node;
      depth--;
      if (depth < 0) break;
      const parent = path[depth] as number;
      const finished = isRoot;
      isRoot = rootSoFar[depth] === 1;
      if (!finished && (low[node] as number) < (low[parent] as number)) {
        low[parent] = low[node] as number;
        isRoot = false;
      }
    }
  }
  return { of, count };
}
