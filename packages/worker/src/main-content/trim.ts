import { textOf } from '../markdown/to-text.ts';
import type { TreeElement } from '../tree/tree.ts';
import { type Box, isLeaf } from './boxes.ts';
import { headingTags } from './tags.ts';

/** Share of link text in a line that leads elsewhere, and the letters it may have beside the link. */
const pointerDensity = 0.6;
const maxPointerText = 25;
/** Letters of a line at the end that may be a label. */
const maxLabel = 60;
/** Parts of lists, tables and code: short by their nature. */
const items = new Set(['li', 'dt', 'dd', 'td', 'th', 'pre']);

/**
 * Drops from the chosen element what is no part of its text: the headline and what stands above it, lines that lead
 * elsewhere, labels at the end.
 */
export function trim(chosen: Box, boxes: readonly Box[]): void {
  const inside = boxes.slice(chosen.at + 1, chosen.end);
  dropAboveHeadline(chosen, boxes);
  for (const box of inside) if (box.parent?.dropped) box.dropped = true;
  const leaves = inside.filter((box) => !box.dropped && isLeaf(box) && box.own.letters > 0);
  for (const box of leaves) if (box.headline || isPointer(box)) box.dropped = true;
  dropLabelsAtEnd(leaves.filter(({ dropped }) => !dropped));
}

/** What stands above the headline: a path, the name of the section. */
export function dropAboveHeadline(chosen: Box, boxes: readonly Box[]): void {
  const inside = boxes.slice(chosen.at + 1, chosen.end);
  const headline = inside.find((box) => box.headline && headingTags.has(box.name));
  if (!headline) return;
  const above = inside.filter((box) => !box.dropped && box.end <= headline.at);
  const prose = above.reduce((sum, { own }) => sum + own.prose, 0);
  if (prose < chosen.all.prose / 2) for (const box of above) box.dropped = true;
}

/** A line that is little more than a link to another page. */
function isPointer({ name, own }: Box): boolean {
  const { letters, linkLetters } = own;
  if (items.has(name) || headingTags.has(name)) return false;
  return linkLetters >= pointerDensity * letters && letters - linkLetters < maxPointerText;
}

/** Headings and labels that nothing follows. */
function dropLabelsAtEnd(leaves: readonly Box[]): void {
  const last = leaves.findLastIndex((box) => !isLabel(box));
  if (last >= 0) for (const box of leaves.slice(last + 1)) box.dropped = true;
}

function isLabel({ node, name, own }: Box): boolean {
  if (headingTags.has(name)) return true;
  if (own.prose >= maxLabel || items.has(name)) return false;
  return !/[.!?。！？…"”)]$/.test(textOf(node as TreeElement));
}
