import { shared } from '../../packages/graph/src/hostgraph/blocks.ts';
import { type Csr, csrOf, transpose } from '../../packages/graph/src/hostgraph/csr.ts';
import type { NamedGraph } from '../../packages/graph/src/hostgraph/host-graph.ts';
import { randomNumbers } from '../../bench/random.ts';

/** A random graph in which few nodes have most of the links, and some have none. */
export function randomGraph({
  nodes,
  links,
  seed,
}: {
  nodes: number;
  links: number;
  seed: number;
}): NamedGraph {
  const random = randomNumbers(seed);
  const rows = Array.from({ length: nodes }, () => new Set<number>());
  for (let made = 0; made < links; ) {
    const from = Math.floor(random() * nodes * 0.9);
    const to = Math.floor(nodes * random() ** 3);
    const row = rows[from] as Set<number>;
    if (from === to || row.has(to)) continue;
    row.add(to);
    made++;
  }
  const out = inSharedMemory(csrOf(rows.map((row) => [...row].toSorted((a, b) => a - b))));
  const numbers = (length: number) => shared(Uint32Array, length);
  return {
    names: Array.from({ length: nodes }, (_, n) => `h${n}.test`),
    out,
    into: transpose(out, numbers),
    links: new Uint32Array(links).fill(1),
  };
}

function inSharedMemory({ nodes, offsets, targets }: Csr): Csr {
  const copy: Csr = {
    nodes,
    offsets: shared(Uint32Array, offsets.length),
    targets: shared(Uint32Array, targets.length),
  };
  copy.offsets.set(offsets);
  copy.targets.set(targets);
  return copy;
}
