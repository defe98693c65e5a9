import type { PageRecord, Url } from '@webfarer/protocol';
import { outcomeTone, type Tone } from './tones.ts';

export interface TreeNode {
  words: string;
  tone: Tone;
  inner: TreeNode[];
}

interface Found {
  url: Url;
  referrer?: Url;
  depth: number;
  record: Pick<PageRecord, 'verdict' | 'status'>;
}

/** The pages nearest to the seeds, and on which page each was first found. Bounded: the nearest stay. */
export class FoundTree {
  readonly #max: number;
  #found: Found[] = [];

  constructor(max = 500) {
    this.#max = max;
  }

  add({ url, referrer, depth, verdict, status }: PageRecord): void {
    const record = { verdict, ...(status === undefined ? {} : { status }) };
    this.#found.push({ url, depth, record, ...(referrer === undefined ? {} : { referrer }) });
    if (this.#found.length > 8 * this.#max) this.#found = this.#nearest();
  }

  #nearest(): Found[] {
    return this.#found.sort((a, b) => a.depth - b.depth || (a.url < b.url ? -1 : 1)).slice(0, 4 * this.#max);
  }

  /** Trees below the seeds, with as many pages as fit into a picture, level by level. */
  roots(): { roots: TreeNode[]; edges: { from: string; to: string; depth: number }[] } {
    const known = new Set<string>(this.#found.map(({ url }) => url));
    const below = new Map<string, Found[]>();
    for (const found of this.#nearest()) {
      const parent = found.referrer !== undefined && known.has(found.referrer) ? found.referrer : '';
      if (parent === '' && found.depth > 0) continue;
      below.set(parent, [...(below.get(parent) ?? []), found]);
    }
    const all: TreeNode = { words: '', tone: 'accent', inner: [] };
    const edges: { from: string; to: string; depth: number }[] = [];
    const queue: [string, TreeNode][] = [['', all]];
    for (const [from, node] of queue) {
      for (const { url, depth, record } of below.get(from) ?? []) {
        if (edges.length >= this.#max) return { roots: all.inner, edges };
        const child: TreeNode = { words: url, tone: outcomeTone(record), inner: [] };
        node.inner.push(child);
        edges.push({ from, to: url, depth });
        queue.push([url, child]);
      }
    }
    return { roots: all.inner, edges };
  }
}
