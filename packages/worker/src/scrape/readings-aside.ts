import { extname, join } from 'node:path';
import { runAside } from '../aside/run-aside.ts';
import { packTree } from '../tree/packed-tree.ts';
import { isText, type TreeNode } from '../tree/nodes.ts';
import type { Payer } from '../turnstile/fair-turnstile.ts';
import type { readings, ReadTree } from './readings.ts';

type Readings = typeof readings;

export interface ReadingTask extends Pick<ReadTree, 'base' | 'isPage'> {
  reading: keyof Readings;
  /** The packed tree. */
  parts: readonly string[];
}

/** Of the costliest documents so much takes some 40 ms; nearly all pages have less. */
const mostHere = 10_000;
/** Characters of text that cost as much as a node. */
const charactersPerNode = 20;

/** Whether what is read of a document takes so long that nothing else of the process should wait for it. */
export function isCostly(nodes: readonly TreeNode[]): boolean {
  return costOf(nodes, mostHere) >= mostHere;
}

/** Counts no further than to a limit. */
function costOf(nodes: readonly TreeNode[], limit: number): number {
  let cost = 0;
  for (const node of nodes) {
    cost += isText(node) ? 1 + node.data.length / charactersPerNode : 1 + costOf(node.children, limit - cost);
    if (cost >= limit) break;
  }
  return cost;
}

/** A document of as many nodes as are worked on takes about a second in a thread of its own; a busy machine takes longer. */
const limits = { timeoutMs: 20_000, maxBytes: 256 * 1024 * 1024 };

/** The source as it is, or what was built of it. */
const entry = join(import.meta.dirname, `readings-thread${extname(import.meta.filename)}`);

/** One reading of a document in a thread, where others do not wait for it. */
export async function readAside<Name extends keyof Readings>(
  reading: Name,
  { tree, base, isPage }: ReadTree,
  payer: Payer,
): Promise<ReturnType<Readings[Name]>> {
  const data: ReadingTask = { reading, parts: await packTree(tree.children), base, isPage };
  const answer = await runAside<ReturnType<Readings[Name]>>(payer, () => ({ entry, data, limits }));
  if (!answer.ok) throw new Error(`the ${reading} of this document could not be read: ${answer.reason}`);
  return answer.value;
}
