import { tmpdir } from 'node:os';
import type { Edge, Url } from '@webfarer/protocol';
import { hostOf, siteOf } from '@webfarer/protocol/url';
import { shared } from './blocks.ts';
import { type Csr, transpose } from './csr.ts';
import { createEdgeSorter } from './edge-sorter.ts';

export type GraphLevel = 'host' | 'site';

/** Who links to whom, as names and rows of numbers. */
export interface NamedGraph {
  /** In ascending order; a node is its place in this list. */
  names: string[];
  out: Csr;
  into: Csr;
  /** For each link of `out`: how many links of pages it stands for. */
  links: Uint32Array;
}

export interface HostGraphOptions {
  level?: GraphLevel;
  /** Where links that do not fit into memory may be written. */
  folder?: string;
  base?: NamedGraph;
}

export type LinkedPages = AsyncIterable<{ from: Url; edges: Edge[] }>;

/**
 * The hosts or sites of any number of crawls and the links between them. Links within a host or site are left out; a
 * host that is only linked to is a node too. The order in which links come in leaves no trace. With a `base` they are
 * merged into that graph: the result is the same as if all had been read at once.
 */
export async function hostGraph(
  crawls: readonly LinkedPages[],
  { level = 'host', folder = tmpdir(), base }: HostGraphOptions = {},
): Promise<NamedGraph> {
  const nodes = new Map(base?.names.map((name, node) => [name, node]));
  const nodeOf = nodeFinder(nodes, level);
  const sorter = await createEdgeSorter({
    folder,
    ...(base ? { base: { out: base.out, weights: base.links } } : {}),
  });
  try {
    for (const crawl of crawls) {
      for await (const { from, edges } of crawl) {
        const source = nodeOf(from);
        for (const { to } of edges) {
          const target = nodeOf(to);
          if (target !== source) sorter.add(source, target);
        }
      }
    }
    const { out, weights } = sorter.finish(nodes.size, { weights: true, make: sharedNumbers });
    return inOrder([...nodes.keys()], out, weights as Uint32Array);
  } finally {
    await sorter.close();
  }
}

const sharedNumbers = (length: number): Uint32Array => shared(Uint32Array, length);

/** Finding a host's site is expensive, and links of a page share few hosts. */
function nodeFinder(nodes: Map<string, number>, level: GraphLevel): (url: Url) => number {
  const byHost = level === 'host' ? nodes : new Map<string, number>();
  return (url) => {
    const host = hostOf(url);
    const known = byHost.get(host);
    if (known !== undefined) return known;
    const name = level === 'host' ? host : siteOf(host);
    const node = nodes.get(name) ?? nodes.size;
    nodes.set(name, node);
    byHost.set(host, node);
    return node;
  };
}

/** Numbers nodes by the order of their names instead of the order in which they were met. */
function inOrder(met: string[], out: Csr, weights: Uint32Array): NamedGraph {
  const order = Uint32Array.from(met.keys()).sort((a, b) =>
    (met[a] as string) < (met[b] as string) ? -1 : 1,
  );
  const place = new Uint32Array(met.length);
  order.forEach((node, at) => {
    place[node] = at;
  });
  const sorted: Csr = {
    nodes: out.nodes,
    offsets: sharedNumbers(out.nodes + 1),
    targets: sharedNumbers(out.targets.length),
  };
  const links = new Uint32Array(weights.length);
  order.forEach((node, at) => {
    const start = sorted.offsets[at] as number;
    const first = out.offsets[node] as number;
    const size = (out.offsets[node + 1] as number) - first;
    sorted.offsets[at + 1] = start + size;
    const row = Array.from({ length: size }, (_, n) => first + n).sort(
      (a, b) => (place[out.targets[a] as number] as number) - (place[out.targets[b] as number] as number),
    );
    row.forEach((e, n) => {
      sorted.targets[start + n] = place[out.targets[e] as number] as number;
      links[start + n] = weights[e] as number;
    });
  });
  const names = Array.from(order, (node) => met[node] as string);
  return { names, out: sorted, into: transpose(sorted, sharedNumbers), links };
}
