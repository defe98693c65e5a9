import { append, newElement, newText, newTree, type Tree, type TreeElement, type TreeNode } from './nodes.ts';

type Content = TreeNode | string | undefined;

/** An element with its content; texts may be written as such. */
export function element(
  name: string,
  attribs: Record<string, string>,
  content: readonly Content[],
): TreeElement {
  const made = newElement(name, attribs);
  for (const node of content) if (node !== undefined && node !== '') append(made, nodeOf(node));
  return made;
}

export function treeOfNodes(nodes: readonly TreeNode[]): Tree {
  const tree = newTree();
  for (const node of nodes) append(tree, unlinked(node));
  return tree;
}

function nodeOf(node: TreeNode | string): TreeNode {
  return typeof node === 'string' ? newText(node) : unlinked(node);
}

/** A node that comes out of another tree has neighbours there. */
function unlinked(node: TreeNode): TreeNode {
  node.parent = node.prev = node.next = null;
  return node;
}
