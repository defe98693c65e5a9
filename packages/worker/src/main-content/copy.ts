import { isElement, isText, type TreeElement, type TreeNode } from '../tree/tree.ts';
import { isSilent } from './boxes.ts';

/** A copy of an element without what was left out of it. */
export function copyWithout(from: TreeElement, left: ReadonlySet<TreeNode>): TreeElement {
  const root = from.cloneNode() as TreeElement;
  const stack: [TreeElement, TreeElement][] = [[from, root]];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const [source, target] = next;
    for (const child of source.children) {
      if (isElement(child) ? left.has(child) || isSilent(child) : !isText(child)) continue;
      const copy = child.cloneNode() as typeof child;
      copy.parent = target;
      const last = target.children.at(-1);
      if (last) {
        last.next = copy;
        copy.prev = last;
      }
      target.children.push(copy);
      if (isElement(child)) stack.push([child, copy as TreeElement]);
    }
  }
  return root;
}
