import { isElement, isText, type Tree, type TreeElement, type TreeNode } from '../tree/tree.ts';
import { type Box, isSilent, readBoxes } from './boxes.ts';
import { Hint } from './hints.ts';
import { inlineTags, surroundingTags } from './tags.ts';

export interface MainContent {
  /** Copies of the chosen parts of the page, without what was left out of them. */
  nodes: TreeNode[];
  /** Their text in reading order, a line for each block. */
  text: string;
}

/** The main content of a page: what a reader came for, without navigation, advertising, comments and the like. */
export function mainContent(tree: Tree, _page: { url: string }): MainContent {
  const boxes = readBoxes(tree);
  const left = new Set<TreeNode>();
  const total = boxes.reduce((sum, box) => (box.parent ? sum : sum + box.prose), 0);
  for (const box of boxes) {
    if (box.parent?.dropped) {
      box.dropped = true;
      continue;
    }
    if (isBoilerplate(box, total)) {
      box.dropped = true;
      left.add(box.node);
      for (let up = box.parent; up; up = up.parent) {
        up.prose -= box.prose;
        up.letters -= box.letters;
        up.linkLetters -= box.linkLetters;
      }
    }
  }
  let chosen: Box | undefined;
  for (const box of boxes) {
    if (box.dropped) continue;
    if (!chosen) chosen = box;
    else if (within(box, chosen) && box.prose >= 0.8 * chosen.prose) chosen = box;
    else if (!chosen.parent && !box.parent && box.prose > chosen.prose) chosen = box;
  }
  if (!chosen) return { nodes: [], text: '' };
  const copy = copyWithout(chosen.node, left);
  return { nodes: [copy], text: textOf([copy]) };
}

function within(box: Box, other: Box): boolean {
  for (let up = box.parent; up; up = up.parent) if (up === other) return true;
  return false;
}

function isBoilerplate(box: Box, total: number): boolean {
  const { name } = box.node;
  if (name === 'body' || name === 'html' || name === 'main' || name === 'article') return false;
  if (surroundingTags.has(name)) return true;
  if (box.hint === Hint.boilerplate) return box.prose < total * 0.4;
  if (box.prose < 50 && box.linkLetters > box.letters * 0.6 && name !== 'p') return true;
  return false;
}

function copyWithout(from: TreeElement, left: ReadonlySet<TreeNode>): TreeElement {
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

export function textOf(nodes: readonly TreeNode[]): string {
  const lines: string[] = [];
  let line = '';
  const stack: (TreeNode | '\n')[] = nodes.toReversed();
  const end = () => {
    const clean = line.replaceAll(/\s+/g, ' ').trim();
    if (clean) lines.push(clean);
    line = '';
  };
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node === '\n') end();
    else if (isText(node)) line += node.data;
    else if (isElement(node)) {
      const block = !inlineTags.has(node.name);
      if (block) {
        end();
        stack.push('\n');
      }
      for (let at = node.children.length - 1; at >= 0; at--) stack.push(node.children[at] as TreeNode);
    }
  }
  end();
  return lines.join('\n');
}
