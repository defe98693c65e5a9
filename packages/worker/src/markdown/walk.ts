import { isText, type TreeElement, type TreeNode } from '../tree/tree.ts';

export interface Visitor {
  /** Whether to go into the element; only then `leave` is called for it. */
  enter(element: TreeElement): boolean;
  leave(element: TreeElement): void;
  text(data: string): void;
}

/** Visits nodes and what is in them in document order. Recurses: a tree is never deep. */
export function walk(nodes: readonly TreeNode[], visitor: Visitor): void {
  for (const node of nodes) {
    if (isText(node)) visitor.text(node.data);
    else if (visitor.enter(node)) {
      walk(node.children, visitor);
      visitor.leave(node);
    }
  }
}
