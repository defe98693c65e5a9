import type { Tree, TreeElement, TreeNode } from '../tree/tree.ts';
import { isElement, isText } from '../tree/tree.ts';

/** What a visitor wants next: the children of a node, its siblings only, or nothing more. */
export type Step = 'into' | 'past' | 'stop';

/** Visits everything below a root in document order. Needs no stack, so no depth of nesting can exhaust it. */
export function walk(root: Tree | TreeElement, visit: (node: TreeNode) => Step): void {
  let node: TreeNode | undefined = root.children[0];
  while (node !== undefined) {
    const step = visit(node);
    if (step === 'stop') return;
    const below: TreeNode | undefined = step === 'into' ? childrenOf(node)[0] : undefined;
    node = below ?? after(node, root);
  }
}

/** The next node in document order that is not below this one. */
function after(node: TreeNode, root: Tree | TreeElement): TreeNode | undefined {
  let at: TreeNode = node;
  while (at.next === null) {
    const up = at.parent;
    if (up === null || up === root) return undefined;
    at = up as TreeNode;
  }
  return at.next as TreeNode;
}

/** CDATA sections of XHTML have children too. */
function childrenOf(node: TreeNode): readonly TreeNode[] {
  return 'children' in node ? (node.children as TreeNode[]) : [];
}

/** Exactly what stands inside, for scripts. */
export function rawText(element: TreeElement): string {
  const [only] = element.children;
  if (only !== undefined && element.children.length === 1 && isText(only)) return only.data;
  const parts: string[] = [];
  walk(element, (node) => {
    if (isText(node)) parts.push(node.data);
    return 'into';
  });
  return parts.join('');
}

/** Elements whose text is not shown. */
const hidden = new Set(['script', 'style', 'template']);
/** Elements that begin on a line of their own: what they hold is not part of the word before. */
const separate = new Set(
  'address article aside blockquote br dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section table td th tr ul'.split(
    ' ',
  ),
);

/** Work that may still be spent on a page, so that none of hostile shape takes long. */
export interface Effort {
  left: number;
}

/** Characters that cost as much as the visit of an element. */
const charsPerVisit = 8;

export function costOf(text: string): number {
  return 1 + text.length / charsPerVisit;
}

/** The shown text inside, each run of white space as one space, cut at about `maxChars`. */
export function textOf(element: TreeElement, maxChars: number, effort?: Effort): string {
  let text = '';
  walk(element, (node) => {
    if (text.length >= maxChars || (effort && (effort.left -= 1) < 0)) return 'stop';
    if (isText(node)) {
      const piece = node.data.slice(0, maxChars);
      if (effort) effort.left -= costOf(piece);
      text += piece;
    } else if (isElement(node)) {
      if (hidden.has(node.name)) return 'past';
      if (separate.has(node.name)) text += ' ';
    }
    return 'into';
  });
  return fold(text.slice(0, maxChars));
}

/** Each run of white space as one space, and none at the ends. */
export function fold(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
