import { type ArrayFile, nameOfContent } from '../files/array-file.ts';
import type { PageGraph } from './page-graph.ts';

/** A page graph as words and numbers: what the compute phase needs of a job, wherever it runs. */
export function contentOf({ job, pages, targets, inner, exits, exitLinks, lost }: PageGraph): ArrayFile {
  return {
    about: { job, pages, targets },
    arrays: [inner.offsets, inner.targets, exits.offsets, exits.targets, exitLinks, lost],
  };
}

export function graphFrom({ about, arrays }: ArrayFile): PageGraph {
  const words = about as Pick<PageGraph, 'job' | 'pages' | 'targets'>;
  const [innerOffsets, inner, exitOffsets, exits, exitLinks, lost] = arrays as Uint32Array[];
  const nodes = words.pages.length;
  return {
    ...words,
    inner: { nodes, offsets: innerOffsets as Uint32Array, targets: inner as Uint32Array },
    exits: { nodes, offsets: exitOffsets as Uint32Array, targets: exits as Uint32Array },
    exitLinks: exitLinks as Uint32Array,
    lost: lost as Uint32Array,
  };
}

/** The same for the same pages and links, whatever crawl they come from. */
export function inputName(graph: PageGraph): string {
  return nameOfContent(contentOf(graph));
}
