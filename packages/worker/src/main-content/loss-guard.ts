import type { Box } from './boxes.ts';
import type { Chosen } from './choose.ts';
import type { OwnContent } from './own-content.ts';

/** Keeping less than this share of the letters that are no links loses content. */
export const minKept = 0.6;
/** What no article leaves out: code, and what is listed by its terms. */
const structures = new Set(['pre', 'dl']);
/** Of a structure the share of links that makes it a list of them. */
const maxLinks = 0.5;

const isKeptIn =
  ({ box: { at, end } }: Chosen) =>
  (box: Box): boolean =>
    box.headline || (!box.dropped && box.at >= at && box.at < end);

export function keptLetters(chosen: Chosen | undefined, boxes: readonly Box[]): number {
  if (!chosen) return 0;
  return boxes.filter(isKeptIn(chosen)).reduce((sum, { own }) => sum + own.letters, 0);
}

/** Whether what was read as an article is much less than what the page itself marks as its content. */
export function isLoss(chosen: Chosen | undefined, own: OwnContent, boxes: readonly Box[]): boolean {
  if (!chosen || keptLetters(chosen, boxes) < minKept * own.plainLetters) return true;
  const isKept = isKeptIn(chosen);
  return boxes
    .slice(own.box.at, own.box.end)
    .some((box) => isStructure(box, boxes) && own.dropped[box.at] !== true && !isKept(box));
}

function isStructure({ name, at, end }: Box, boxes: readonly Box[]): boolean {
  if (!structures.has(name)) return false;
  const parts = boxes.slice(at, end);
  const sum = (of: 'letters' | 'linkLetters') => parts.reduce((total, { own }) => total + own[of], 0);
  return sum('linkLetters') < maxLinks * sum('letters');
}
