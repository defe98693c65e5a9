/** Neighbours and how strongly they are joined, both ways. */
export type Ties = readonly ReadonlyMap<number, number>[];

export function tiesOf(
  nodes: number,
  links: readonly (readonly [number, number, number])[],
): Map<number, number>[] {
  const ties = Array.from({ length: nodes }, () => new Map<number, number>());
  const add = (a: number, b: number, weight: number) => ties[a]?.set(b, (ties[a].get(b) ?? 0) + weight);
  for (const [from, to, n] of links) {
    // Many links say more than one, but not so many times more.
    const weight = 1 + Math.log2(n);
    add(from, to, weight);
    add(to, from, weight);
  }
  return ties;
}

const maxRounds = 20;

/** Which nodes belong together: each moves to the neighbours' group that gains most modularity, until none gains. */
export function communities(ties: Ties): number[] {
  const strength = ties.map((row) => [...row.values()].reduce((sum, weight) => sum + weight, 0));
  const all = strength.reduce((sum, s) => sum + s, 0) || 1;
  const group = ties.map((_, i) => i);
  const inGroup = [...strength];
  for (let round = 0; round < maxRounds; round++) {
    let moved = false;
    for (const [node, row] of ties.entries()) {
      const own = group[node] as number;
      const weight = strength[node] as number;
      inGroup[own] = (inGroup[own] as number) - weight;
      const joined = new Map<number, number>([[own, 0]]);
      for (const [other, tie] of row) {
        const theirs = group[other] as number;
        joined.set(theirs, (joined.get(theirs) ?? 0) + tie);
      }
      const gain = (g: number) => (joined.get(g) ?? 0) - (weight * (inGroup[g] as number)) / all;
      let best = own;
      for (const g of joined.keys()) if (gain(g) > gain(best) + 1e-12) best = g;
      inGroup[best] = (inGroup[best] as number) + weight;
      group[node] = best;
      if (best !== own) moved = true;
    }
    if (!moved) break;
  }
  return bySize(group);
}

/** Groups numbered from 0, the largest first. */
function bySize(group: readonly number[]): number[] {
  const sizes = new Map<number, number>();
  for (const g of group) sizes.set(g, (sizes.get(g) ?? 0) + 1);
  const order = new Map([...sizes].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([g], i) => [g, i]));
  return group.map((g) => order.get(g) ?? 0);
}
