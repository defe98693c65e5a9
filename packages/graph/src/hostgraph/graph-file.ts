import { WebfarerError } from '@webfarer/protocol';
import { readArrays, writeArrays } from '../files/array-file.ts';
import { transpose } from './csr.ts';
import type { GraphLevel, NamedGraph } from './host-graph.ts';

/** A graph that grows crawl by crawl, and knows which are in it. */
export interface GrownGraph {
  graph: NamedGraph;
  level: GraphLevel;
  crawls: string[];
}

interface About {
  kind: 'graph';
  level: GraphLevel;
  crawls: string[];
  names: string[];
}

export async function saveGraph(file: string, { graph, level, crawls }: GrownGraph): Promise<void> {
  const about: About = { kind: 'graph', level, crawls, names: graph.names };
  await writeArrays(file, { about, arrays: [graph.out.offsets, graph.out.targets, graph.links] });
}

/** Undefined where there is no such file. */
export async function openGraph(file: string): Promise<GrownGraph | undefined> {
  const found = await readArrays(file);
  if (found === undefined) return undefined;
  const { kind, level, crawls, names } = found.about as About;
  const [offsets, targets, links] = found.arrays as Uint32Array[];
  if (kind !== 'graph' || !offsets || !targets || !links) throw noGraph(file);
  const out = { nodes: names.length, offsets, targets };
  return { level, crawls, graph: { names, out, into: transpose(out), links } };
}

export function noGraph(file: string): WebfarerError {
  return new WebfarerError('not-found', `${file} is not a graph, or it is damaged.`, {
    next: 'Name a file that graph stats --into has written, or a crawl folder.',
  });
}
