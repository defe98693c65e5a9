import { admonitionOf } from '../markdown/admonition.ts';
import { type Box, totalOf } from './boxes.ts';
import { Hint, namesUtility } from './hints.ts';
import { namesItsHeading } from './section-names.ts';
import { contentTags, headingTags, partTags, surroundingRoles, surroundingTags } from './tags.ts';

/** A part with this share of the page's prose is content whatever its name: names also describe whole pages. */
const contentShare = 0.4;
/** What is named like an inset or a tool may be dropped up to this share of the prose. */
const insetShare = 0.1;
/** Comments may be longer than what they comment on. */
const besideShare = 0.8;

/** Drops what stands around the content or is set into it, as tags, roles and names tell. */
export function dropSurroundings(boxes: readonly Box[]): void {
  const { prose } = totalOf(boxes);
  for (const box of boxes) if (isSurrounding(box, prose > 0 ? box.all.prose / prose : 0)) box.dropped = true;
}

/** Notes and warnings stand in `aside` and have roles of their own, but are text. */
function isNote({ node, hint }: Box): boolean {
  return hint < Hint.outside && 'attribs' in node && admonitionOf(node) !== undefined;
}

function isUtility({ node, headline }: Box, share: number): boolean {
  return 'attribs' in node && !headline && share < insetShare && namesUtility(node.attribs);
}

function isSurrounding(box: Box, share: number): boolean {
  const { name, role, hint, headline, quote } = box;
  if (contentTags.has(name) || isNote(box)) return false;
  if (name === 'figcaption' || isUtility(box, share)) return true;
  if (surroundingTags.has(name) || surroundingRoles.has(role)) return !headline || share < contentShare;
  if (hint === Hint.beside && !headline) return share < besideShare;
  if (hint === Hint.inset && quote) return false;
  return (hint !== Hint.none || name === 'header' || name === 'form') && share < contentShare;
}

/** The same within what the page itself marks as its content, where names are believed less. */
export function isSurroundingOfOwn(box: Box, share: number): boolean {
  const { name, role, headline, quote } = box;
  if (contentTags.has(name) || headingTags.has(name) || isNote(box)) return false;
  if (surroundingTags.has(name) || surroundingRoles.has(role)) return !headline || share < contentShare;
  if (headline) return false;
  if (name === 'header') return !standsInContent(box) && share < contentShare;
  if (isUtility(box, share)) return true;
  if (partTags.has(name)) return false;
  const hint = namesItsHeading(box) ? box.classHint : box.hint;
  if (hint === Hint.beside) return share < besideShare;
  if (hint === Hint.inset) return !quote && share < insetShare;
  return (hint === Hint.outside || name === 'form') && share < contentShare;
}

function standsInContent({ parent }: Box): boolean {
  for (let box = parent; box; box = box.parent)
    if (box.name === 'main' || box.name === 'article' || box.role === 'main') return true;
  return false;
}
