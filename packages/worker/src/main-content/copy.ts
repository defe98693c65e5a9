import { isElement, isText, type TreeElement, type TreeNode } from '../tree/tree.ts';
import { isSilent } from './boxes.ts';

/** Copies of nodes with all that is in them, without what was left out and what is not seen. */
export function copyWithout(nodes: readonly TreeNode[], left: ReadonlySet<unknown>): TreeNode[] {
  const copies: TreeNode[] = [];
  const stack: [readonly TreeNode[], TreeNode[], TreeElement | null][] = [[nodes, copies, null]];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const [from, to, parent] = next;
    for (const node of from) {
      if (isElement(node) ? left.has(node) || isSilent(node) : !isText(node)) continue;
      const copy = node.cloneNode() as typeof node;
      copy.parent = parent;
      const last = to.at(-1);
      if (last) {
        last.next = copy;
        copy.prev = last;
      }
      to.push(copy);
      if (isElement(node) && isElement(copy)) stack.push([node.children, copy.children, copy]);
    }
  }
  return copies;
}
