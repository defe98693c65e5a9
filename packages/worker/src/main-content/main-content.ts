import { textOf } from '../markdown/to-text.ts';
import { append, newElement, newText, type Tree, type TreeElement, type TreeNode } from '../tree/nodes.ts';
import { type Box, readBoxes, type Reading } from './boxes.ts';
import { type Chosen, chooseContent } from './choose.ts';
import { copyWithout } from './copy.ts';
import { leadOf, openingOf } from './lead.ts';
import { isLoss, keptLetters, minKept } from './loss-guard.ts';
import { type OwnContent, ownContent } from './own-content.ts';
import { dropAboveHeadline, trim } from './trim.ts';

/** Copies of the chosen parts of a page, without what was left out of them. */
export interface MainContent {
  /** The heading of the page, wherever it stands; its title where no heading names the content. */
  headline: TreeNode | undefined;
  /** What stands between the headline and the text: a summary, who wrote it. */
  lead: TreeNode[];
  /** What stands under the headline, in reading order. */
  body: TreeNode[];
}

/**
 * The main content of a page: what a reader came for, without navigation, advertising, comments and the like. Read as an article
 * first; where that keeps much less than what the page itself marks as its content, or the page is no article, it is the latter.
 */
export function mainContent(tree: Tree): MainContent {
  const reading = readBoxes(tree);
  const { boxes } = reading;
  const own = ownContent(boxes);
  const chosen = chooseContent(reading);
  let headline = headlineOf(reading);
  if (chosen && !chosen.isList) trim(chosen.box, boxes);
  let box = chosen?.box;
  if (own && mustKeepOwn(reading, own, chosen)) {
    for (const each of boxes) each.dropped = own.dropped[each.at] ?? false;
    ({ box } = own);
    headline = headlineOf(reading);
    dropAboveHeadline(box, boxes);
  }
  if (!box) return { headline: undefined, lead: [], body: [] };
  const { node, at, end } = box;
  const opening = openingOf(reading, box);
  const lead = leadOf(reading, box).filter((part) => !opening.includes(part));
  const left = new Set<unknown>(headline && [headline.node]);
  for (const each of boxes.slice(at, end)) if (each.dropped) left.add(each.node);
  const body = copyWithout(at === 0 ? tree.children : [...nodesOf(opening), node as TreeNode], left);
  return {
    headline: headline ? copyWithout([headline.node as TreeElement], new Set())[0] : titled(reading),
    lead: copyWithout(nodesOf(lead), new Set()),
    body,
  };
}

/** What a page that is no article marks is kept; of an article, and where only a name tells, where else much would be lost. */
function mustKeepOwn({ isArticle, boxes }: Reading, own: OwnContent, chosen: Chosen | undefined): boolean {
  // What it marks may also be a small part of it.
  if (own.isMarked && !isArticle) return own.letters >= minKept * keptLetters(chosen, boxes);
  // Several articles on the page of one are further reading.
  const isBelieved = isArticle ? own.isMarked && !own.isSeveral : true;
  return isBelieved && isLoss(chosen, own, boxes);
}

/** A heading in what surrounds the content is that of the page only where its title begins with it; else it names the site. */
function headlineOf({ headline, title }: Reading): Box | undefined {
  if (!headline?.dropped || title === '') return headline;
  const text = textOf(headline.node as TreeElement).toLowerCase();
  return text !== '' && title.toLowerCase().startsWith(text) ? headline : undefined;
}

const nodesOf = (boxes: readonly Box[]): TreeElement[] => boxes.map(({ node }) => node as TreeElement);

function titled({ title }: Reading): TreeNode | undefined {
  if (title === '') return undefined;
  const heading = newElement('h1', {});
  append(heading, newText(title));
  return heading;
}
