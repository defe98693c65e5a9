import { append, isText, newElement, newText, type TreeNode } from '../tree/nodes.ts';
import { isSilent } from './boxes.ts';

/** Copies of nodes with all that is in them, without what was left out and what is not seen. */
export function copyWithout(nodes: readonly TreeNode[], left: ReadonlySet<unknown>): TreeNode[] {
  return nodes.flatMap((node) => copyOf(node, left) ?? []);
}

/** Recurses: a tree is never deep. */
function copyOf(node: TreeNode, left: ReadonlySet<unknown>): TreeNode | undefined {
  if (isText(node)) return newText(node.data);
  if (left.has(node) || isSilent(node)) return undefined;
  const copy = newElement(node.name, node.attribs);
  for (const child of node.children) {
    const inner = copyOf(child, left);
    if (inner) append(copy, inner);
  }
  return copy;
}
