import { type Box, totalOf } from './boxes.ts';
import { Hint } from './hints.ts';
import { contentTags, surroundingRoles, surroundingTags } from './tags.ts';

/** A part with this share of the page's prose is content whatever its name: names also describe whole pages. */
const contentShare = 0.4;
/** Comments may be longer than what they comment on. */
const besideShare = 0.8;

/** Drops what stands around the content or is set into it, as tags, roles and names tell. */
export function dropSurroundings(boxes: readonly Box[]): void {
  const { prose } = totalOf(boxes);
  for (const box of boxes) if (isSurrounding(box, prose > 0 ? box.all.prose / prose : 0)) box.dropped = true;
}

function isSurrounding({ name, role, hint, headline, quote }: Box, share: number): boolean {
  if (contentTags.has(name)) return false;
  if (name === 'figcaption') return true;
  if (surroundingTags.has(name) || surroundingRoles.has(role)) return !headline || share < contentShare;
  if (hint === Hint.beside && !headline) return share < besideShare;
  if (hint === Hint.inset && quote) return false;
  return (hint !== Hint.none || name === 'header' || name === 'form') && share < contentShare;
}
