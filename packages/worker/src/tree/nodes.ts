import type { Cut } from './budget.ts';

/**
 * A page as elements and texts, entities decoded; comments are left out. The members are named as in domhandler, so that
 * selector engines read these nodes too.
 */
export interface Tree {
  readonly type: 'root';
  readonly children: TreeNode[];
  readonly parent: null;
  readonly prev: null;
  readonly next: null;
  /** What lies behind its last node was left out. */
  cut?: Cut;
}

export interface TreeElement {
  readonly type: 'tag' | 'script' | 'style';
  readonly name: string;
  readonly attribs: Record<string, string>;
  readonly children: TreeNode[];
  parent: TreeElement | Tree | null;
  prev: TreeNode | null;
  next: TreeNode | null;
}

export interface TreeText {
  readonly type: 'text';
  data: string;
  parent: TreeElement | Tree | null;
  prev: TreeNode | null;
  next: TreeNode | null;
}

export type TreeNode = TreeElement | TreeText;

export function newTree(): Tree {
  return { type: 'root', children: [], parent: null, prev: null, next: null };
}

export function newElement(name: string, attribs: Record<string, string>): TreeElement {
  const type = name === 'script' || name === 'style' ? name : 'tag';
  return { type, name, attribs, children: [], parent: null, prev: null, next: null };
}

export function newText(data: string): TreeText {
  return { type: 'text', data, parent: null, prev: null, next: null };
}

export function append(parent: TreeElement | Tree, node: TreeNode): void {
  const { children } = parent;
  const { length } = children;
  node.parent = parent;
  if (length > 0) {
    const last = children[length - 1] as TreeNode;
    last.next = node;
    node.prev = last;
  }
  children.push(node);
}

export function isElement(node: TreeNode): node is TreeElement {
  return node.type !== 'text';
}

export function isText(node: TreeNode): node is TreeText {
  return node.type === 'text';
}
