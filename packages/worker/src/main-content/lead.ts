import { textOf } from '../markdown/to-text.ts';
import type { TreeElement } from '../tree/tree.ts';
import { type Box, isLeaf, type Reading } from './boxes.ts';

/** Letters that a byline may have, and a summary. */
const maxByline = 120;
const maxSummary = 500;
/** Boxes that may stand between the headline and the text, and above the headline. */
const maxBelow = 150;
const maxAbove = 8;
/** Boxes within a byline. */
const maxInner = 6;
const maxParts = 4;
/** Letters of a paragraph with which the text has begun. */
const minProse = 60;
const maxOpening = 3;

const bylineNames = /\b(?:by-?line|author|contributor|writer)|(?:by-?line|author)(?:$|[-_ ])/i;
const bylineText = /^(?:(?:written |posted )?by|von|par|por|di)\s*:?\s+\p{Lu}/iu;
const summaryNames =
  /(?:^|[-_ ])(?:summary|stand-?first|dek|deck|sub-?(?:title|head(?:line)?|heading|headline)|lead(?:-in)?|intro|description|blurb|tagline)(?:$|[-_ ])/i;

/** The summary and the byline under the headline, where the content has not got them. */
export function leadOf({ boxes, headline }: Reading, chosen: Box): Box[] {
  if (!headline) return [];
  const isKept = (box: Box) => !box.dropped && box.at >= chosen.at && box.at < chosen.end;
  const above = boxes.slice(Math.max(0, headline.at - maxAbove), headline.at);
  const found = above.filter((box) => isLeaf(box) && !isKept(box) && hasBylineText(box)).slice(-1);
  const last = Math.min(boxes.length, headline.end + maxBelow);
  let paragraphs = 0;
  for (let at = headline.end; at < last && found.length < maxParts; at++) {
    const box = boxes[at] as Box;
    // A summary may stand above the author.
    if (isKept(box) && box.own.prose >= minProse && ++paragraphs > 1) break;
    if (isKept(box) || box.end - at > maxInner || !(isByline(box, boxes) || isSummary(box))) continue;
    found.push(box);
    at = box.end - 1;
  }
  return found;
}

/** Paragraphs between the headline and what was chosen, without a name: it is how the text begins. */
export function openingOf({ boxes, headline }: Reading, chosen: Box): Box[] {
  if (!headline || headline.at > chosen.at) return [];
  const found = boxes.slice(headline.end, chosen.at).filter((box) => isOpening(box));
  return found.length <= maxOpening ? found : [];
}

function isOpening(box: Box): boolean {
  const { name, node, dropped, own, parent } = box;
  if (name !== 'p' || dropped || !isLeaf(box) || own.prose < minProse || own.linkLetters > own.letters / 3)
    return false;
  return (
    'attribs' in node &&
    node.attribs['class'] === undefined &&
    !(parent && summaryNames.test(namesOf(parent)))
  );
}

function hasBylineText({ node, own: { letters } }: Box): boolean {
  return letters <= maxByline && bylineText.test(textOf(node as TreeElement));
}

function isByline(box: Box, boxes: readonly Box[]): boolean {
  const letters = boxes.slice(box.at, box.end).reduce((sum, { own }) => sum + own.letters, 0);
  if (letters === 0 || letters > maxByline) return false;
  return bylineNames.test(namesOf(box)) || bylineText.test(textOf(box.node as TreeElement));
}

function isSummary(box: Box): boolean {
  const { own, name } = box;
  if (!isLeaf(box) || own.prose === 0 || own.letters > maxSummary) return false;
  return name === 'h2' || summaryNames.test(namesOf(box));
}

function namesOf({ node }: Box): string {
  return 'attribs' in node
    ? `${node.attribs['class'] ?? ''} ${node.attribs['id'] ?? ''} ${node.attribs['rel'] ?? ''}`
    : '';
}
