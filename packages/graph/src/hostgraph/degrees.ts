import type { Csr } from './csr.ts';

export function degreesOf({ nodes, offsets }: Csr): Uint32Array {
  const degrees = new Uint32Array(nodes);
  for (let node = 0; node < nodes; node++)
    degrees[node] = (offsets[node + 1] as number) - (offsets[node] as number);
  return degrees;
}

/** How many nodes have each degree, in ascending order. */
export function degreeCounts(degrees: Uint32Array): { degree: number; nodes: number }[] {
  const counts = new Map<number, number>();
  for (const degree of degrees) counts.set(degree, (counts.get(degree) ?? 0) + 1);
  return [...counts].toSorted(([a], [b]) => a - b).map(([degree, nodes]) => ({ degree, nodes }));
}

/** Of all links, the part that is answered by a link back. Links of a node to itself do not count. */
export function reciprocity(out: Csr, into: Csr): number {
  let [links, answered] = [0, 0];
  for (let node = 0; node < out.nodes; node++) {
    let a = out.offsets[node] as number;
    let b = into.offsets[node] as number;
    const [endA, endB] = [out.offsets[node + 1] as number, into.offsets[node + 1] as number];
    links += endA - a;
    // Both rows ascend: where they meet there is a link each way.
    while (a < endA && b < endB) {
      const [to, from] = [out.targets[a] as number, into.targets[b] as number];
      if (to === from) {
        if (to === node) links--;
        else answered++;
      }
      if (to <= from) a++;
      if (from <= to) b++;
    }
  }
  return links === 0 ? 0 : answered / links;
}
