import { toText } from '../markdown/to-text.ts';
import type { Tree, TreeNode } from '../tree/tree.ts';
import { readBoxes } from './boxes.ts';
import { chooseContent } from './choose.ts';
import { copyWithout } from './copy.ts';
import { trim } from './trim.ts';

export interface MainContent {
  /** Copies of the chosen parts of the page, without what was left out of them. */
  nodes: TreeNode[];
  /** Their text in reading order. */
  text: string;
}

/** The main content of a page: what a reader came for, without navigation, advertising, comments and the like. */
export function mainContent(tree: Tree): MainContent {
  const boxes = readBoxes(tree);
  const chosen = chooseContent(boxes);
  if (!chosen) return { nodes: [], text: '' };
  if (!chosen.isList) trim(chosen.box, boxes);
  const { node, at, end } = chosen.box;
  const left = new Set<unknown>();
  for (const box of boxes.slice(at, end)) if (box.dropped) left.add(box.node);
  const nodes = copyWithout(at === 0 ? tree.children : [node as TreeNode], left);
  return { nodes, text: toText(nodes) };
}
