import type { Edge, HostKey, Url } from '@webfarer/protocol';
import { siteOf } from '@webfarer/protocol/url';
import type { NamedGraph } from '../hostgraph/host-graph.ts';
import type { Centrality } from '../hostgraph/measures.ts';
import type { Table } from './column.ts';

interface Link extends Edge {
  from: Url;
}

/** Every link of every page. */
export function linkTable(edges: AsyncIterable<{ from: Url; edges: Edge[] }>): Table<Link> {
  async function* rows(): AsyncGenerator<Link> {
    for await (const { from, edges: links } of edges) for (const link of links) yield { from, ...link };
  }
  return {
    name: 'links',
    columns: [
      { name: 'source', type: 'string', required: true, value: ({ from }) => from },
      { name: 'target', type: 'string', required: true, value: ({ to }) => to },
      { name: 'rel', type: 'string', required: true, value: ({ rel }) => rel },
      { name: 'nofollow', type: 'boolean', required: true, value: ({ nofollow }) => nofollow ?? false },
      { name: 'text', type: 'string', value: ({ text }) => text },
    ],
    rows: rows(),
  };
}

/** The nodes of a graph of hosts, numbered as in its edges. */
export function vertexTable(graph: NamedGraph, measures: Centrality): Table<number> {
  const at = (values: ArrayLike<number>) => (node: number) => values[node];
  return {
    name: 'vertices',
    columns: [
      { name: 'id', type: 'int64', required: true, value: (node) => node },
      { name: 'host', type: 'string', required: true, value: (node) => graph.names[node] },
      { name: 'site', type: 'string', required: true, value: (node) => siteOf(graph.names[node] as HostKey) },
      { name: 'in_degree', type: 'int64', required: true, value: at(measures.inDegree) },
      { name: 'out_degree', type: 'int64', required: true, value: at(measures.outDegree) },
      { name: 'pagerank', type: 'double', required: true, value: at(measures.pageRank) },
      { name: 'harmonic', type: 'double', required: true, value: at(measures.harmonic) },
    ],
    rows: graph.names.keys(),
  };
}

interface HostLink {
  from: number;
  to: number;
  links: number;
}

/** Which host links to which, and by how many links of its pages. */
export function edgeTable({ out, links }: NamedGraph): Table<HostLink> {
  function* rows(): Generator<HostLink> {
    for (let from = 0; from < out.nodes; from++) {
      const end = out.offsets[from + 1] as number;
      for (let e = out.offsets[from] as number; e < end; e++)
        yield { from, to: out.targets[e] as number, links: links[e] as number };
    }
  }
  return {
    name: 'edges',
    columns: [
      { name: 'from_id', type: 'int64', required: true, value: ({ from }) => from },
      { name: 'to_id', type: 'int64', required: true, value: ({ to }) => to },
      { name: 'links', type: 'int64', required: true, value: ({ links: count }) => count },
    ],
    rows: rows(),
  };
}
