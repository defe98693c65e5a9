import type { Csr } from '../hostgraph/csr.ts';

/** The pages of one job and where their links lead, as docs/dependency.md counts them. */
export interface PageGraph {
  /** Name of the job, unique within its crawl. */
  job: string;
  /** URLs in ascending order; a page is its place in this list. */
  pages: string[];
  /** URLs outside the job in ascending order; a target is its place in this list. */
  targets: string[];
  /** From page to page, rows ascending. */
  inner: Csr;
  /** From page to target, rows ascending. */
  exits: Csr;
  /** For each link of `exits`: how many links of the page, as recorded, it stands for. */
  exitLinks: Uint32Array;
  /** Links of each page that are lost. */
  lost: Uint32Array;
}

/** Places that a page's links lead to: what the reader chooses from. */
export function placesOf({ inner, exits, lost }: PageGraph, page: number): number {
  const within = (inner.offsets[page + 1] as number) - (inner.offsets[page] as number);
  const out = (exits.offsets[page + 1] as number) - (exits.offsets[page] as number);
  return within + out + (lost[page] as number);
}
