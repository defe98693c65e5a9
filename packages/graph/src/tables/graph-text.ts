import type { Writable } from 'node:stream';
import type { NamedGraph } from '../hostgraph/host-graph.ts';
import type { Centrality } from '../hostgraph/measures.ts';
import { writeOut } from '../files/write-out.ts';

/** A graph as text for other programs: node attributes are the same in both. */
export interface GraphText {
  graph: NamedGraph;
  measures: Centrality;
}

/** GraphML, which Gephi, igraph, NetworkX and yEd open. */
export async function writeGraphml(text: GraphText, out: Writable): Promise<void> {
  await writeOut(graphml(text), out);
}

/** `{ nodes: [{ id, … }], links: [{ source, target, links }] }`, which D3 and NetworkX (node-link) read. */
export async function writeGraphJson(text: GraphText, out: Writable): Promise<void> {
  await writeOut(nodeLink(text), out);
}

const attributes = {
  inDegree: { name: 'in_degree', type: 'long' },
  outDegree: { name: 'out_degree', type: 'long' },
  pageRank: { name: 'pagerank', type: 'double' },
  harmonic: { name: 'harmonic', type: 'double' },
} as const;
type Attribute = keyof typeof attributes;
const named = Object.entries(attributes) as [Attribute, (typeof attributes)[Attribute]][];

function* graphml({ graph, measures }: GraphText): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n';
  for (const [, { name, type }] of named)
    yield `<key id="${name}" for="node" attr.name="${name}" attr.type="${type}"/>\n`;
  yield '<key id="links" for="edge" attr.name="links" attr.type="long"/>\n<graph edgedefault="directed">\n';
  for (const [node, name] of graph.names.entries()) {
    const data = named.map(([key, { name: id }]) => `<data key="${id}">${measures[key][node]}</data>`);
    yield `<node id="${escapeXml(name)}">${data.join('')}</node>\n`;
  }
  for (const { from, to, links } of edgesOf(graph))
    yield `<edge source="${escapeXml(from)}" target="${escapeXml(to)}"><data key="links">${links}</data></edge>\n`;
  yield '</graph>\n</graphml>\n';
}

function* nodeLink({ graph, measures }: GraphText): Generator<string> {
  yield '{"directed":true,"multigraph":false,"graph":{},"nodes":[';
  for (const [node, name] of graph.names.entries()) {
    const data = named.map(([key, { name: id }]) => [id, measures[key][node]]);
    yield `${node === 0 ? '' : ','}\n${JSON.stringify({ id: name, ...Object.fromEntries(data) })}`;
  }
  yield '\n],"links":[';
  let first = true;
  for (const { from, to, links } of edgesOf(graph)) {
    yield `${first ? '' : ','}\n${JSON.stringify({ source: from, target: to, links })}`;
    first = false;
  }
  yield '\n]}\n';
}

function* edgesOf({ names, out, links }: NamedGraph) {
  for (let from = 0; from < out.nodes; from++) {
    const end = out.offsets[from + 1] as number;
    for (let e = out.offsets[from] as number; e < end; e++)
      yield { from: names[from] as string, to: names[out.targets[e] as number] as string, links: links[e] };
  }
}

/** Host names are clean by the URL rules; this is for whatever those let through. */
function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
