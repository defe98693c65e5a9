import { textOf } from '../markdown/to-text.ts';
import { append, newElement, newText, type Tree, type TreeElement, type TreeNode } from '../tree/nodes.ts';
import { type Box, readBoxes, type Reading } from './boxes.ts';
import { chooseContent } from './choose.ts';
import { copyWithout } from './copy.ts';
import { trim } from './trim.ts';

/** Copies of the chosen parts of a page, without what was left out of them. */
export interface MainContent {
  /** The heading of the page, wherever it stands; its title where no heading names the content. */
  headline: TreeNode | undefined;
  /** What stands under the headline, in reading order. */
  body: TreeNode[];
}

/** The main content of a page: what a reader came for, without navigation, advertising, comments and the like. */
export function mainContent(tree: Tree): MainContent {
  const reading = readBoxes(tree);
  const { boxes } = reading;
  const chosen = chooseContent(boxes);
  if (!chosen) return { headline: undefined, body: [] };
  const headline = headlineOf(reading);
  if (!chosen.isList) trim(chosen.box, boxes);
  const { node, at, end } = chosen.box;
  const left = new Set<unknown>(headline && [headline.node]);
  for (const box of boxes.slice(at, end)) if (box.dropped) left.add(box.node);
  const body = copyWithout(at === 0 ? tree.children : [node as TreeNode], left);
  return {
    headline: headline ? copyWithout([headline.node as TreeElement], new Set())[0] : titled(reading),
    body,
  };
}

/** A heading in what surrounds the content is that of the page only where its title begins with it; else it names the site. */
function headlineOf({ headline, title }: Reading): Box | undefined {
  if (!headline?.dropped || title === '') return headline;
  const text = textOf(headline.node as TreeElement).toLowerCase();
  return text !== '' && title.toLowerCase().startsWith(text) ? headline : undefined;
}

function titled({ title }: Reading): TreeNode | undefined {
  if (title === '') return undefined;
  const heading = newElement('h1', {});
  append(heading, newText(title));
  return heading;
}
