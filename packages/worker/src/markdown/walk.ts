import { isElement, isText, type TreeElement, type TreeNode } from '../tree/tree.ts';

export interface Visitor {
  /** Whether to go into the element; only then `leave` is called for it. */
  enter(element: TreeElement): boolean;
  leave(element: TreeElement): void;
  text(data: string): void;
}

/** Visits nodes and what is in them in document order. Keeps no stack, so nesting of any depth costs nothing. */
export function walk(roots: readonly TreeNode[], visitor: Visitor): void {
  for (const root of roots) walkOne(root, visitor);
}

function walkOne(root: TreeNode, visitor: Visitor): void {
  let node: TreeNode = root;
  for (;;) {
    const first = visit(node, visitor);
    if (first) {
      node = first;
      continue;
    }
    while (node !== root && !node.next) {
      node = node.parent as TreeNode;
      if (isElement(node)) visitor.leave(node);
    }
    if (node === root) return;
    node = node.next as TreeNode;
  }
}

/** Answers the first child where there is one to go to; an element without any is left at once. */
function visit(node: TreeNode, visitor: Visitor): TreeNode | undefined {
  if (isText(node)) {
    visitor.text(node.data);
    return undefined;
  }
  if (isElement(node)) {
    if (!visitor.enter(node)) return undefined;
    const first = node.children[0];
    if (!first) visitor.leave(node);
    return first;
  }
  // A CDATA section is text; a document is what it holds.
  return 'children' in node ? node.children[0] : undefined;
}
