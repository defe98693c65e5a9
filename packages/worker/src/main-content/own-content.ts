import { type Box, measure, totalOf } from './boxes.ts';
import { isSurroundingOfOwn } from './surroundings.ts';
import { headingTags } from './tags.ts';

/** What the page itself marks as its content, and which boxes in it surely are none. */
export interface OwnContent {
  box: Box;
  /** By a tag or a role; else only by a name, which is believed less. */
  isMarked: boolean;
  /** What holds several articles. */
  isSeveral: boolean;
  dropped: boolean[];
  letters: number;
  /** Without the text of links. */
  plainLetters: number;
}

/** By the names that authors and their tools give it, where no tag and no role says it. */
const names =
  /^(?:main|content|article|main-?content|page-?content|content-?main|body-?content|mw-content-text|site-content|primary|document|markdown-body|entry-content|post-content|docs?-content|wiki-content|readme)$/i;
/** An element that is only named so holds at least this share of the letters that are no links. */
const namedShare = 0.4;
/** One article in `main` with this share of its letters is the content. */
const articleShare = 0.6;

/** Leaves the boxes as it found them. Undefined where the page marks nothing. */
export function ownContent(boxes: readonly Box[]): OwnContent | undefined {
  const total = totalOf(boxes).prose;
  for (const box of boxes) box.dropped = isSurroundingOfOwn(box, total > 0 ? box.all.prose / total : 0);
  measure(boxes);
  const mark = marked(boxes);
  const box = mark ?? named(boxes);
  const isSeveral = box !== undefined && articlesIn(box, boxes).length > 1;
  const found =
    box && box.all.letters > 0
      ? { ...within(box, boxes), isMarked: mark !== undefined, isSeveral }
      : undefined;
  for (const each of boxes) each.dropped = false;
  measure(boxes);
  return found;
}

function within(box: Box, boxes: readonly Box[]): Omit<OwnContent, 'isMarked' | 'isSeveral'> {
  for (const each of boxes.slice(box.at + 1, box.end)) if (isJumpList(each)) each.dropped = true;
  measure(boxes);
  const { letters, linkLetters } = box.all;
  return { box, dropped: boxes.map(({ dropped }) => dropped), letters, plainLetters: letters - linkLetters };
}

/** A table of contents: nearly all of it leads to other places of the page. */
function isJumpList({ all: { letters, jumpLetters }, name }: Box): boolean {
  return jumpLetters > 0.9 * letters && !headingTags.has(name) && name !== 'dt' && name !== 'td';
}

function marked(boxes: readonly Box[]): Box | undefined {
  const open = boxes.filter(isOpen);
  const main = largest(open.filter(({ name, role }) => name === 'main' || role === 'main'));
  const articles = articlesIn(main ?? (boxes[0] as Box), boxes);
  const article =
    articles.find(({ headline }) => headline) ?? (articles.length === 1 ? articles[0] : undefined);
  if (main) return article && article.all.letters >= articleShare * main.all.letters ? article : main;
  if (article && articles.length === 1) return article;
  return articles.length > 1 ? commonAncestor(articles) : undefined;
}

function named(boxes: readonly Box[]): Box | undefined {
  const found = largest(boxes.filter((box) => isOpen(box) && isNamed(box)));
  const { letters, linkLetters } = totalOf(boxes);
  const plain = found ? found.all.letters - found.all.linkLetters : 0;
  return plain >= namedShare * (letters - linkLetters) ? found : undefined;
}

const isOpen = ({ dropped, parent }: Box): boolean => !dropped && parent !== undefined;

function isNamed({ node }: Box): boolean {
  if (!('attribs' in node)) return false;
  const { id, class: classes } = node.attribs;
  return (
    (id !== undefined && names.test(id)) || (classes?.split(/\s+/).some((one) => names.test(one)) ?? false)
  );
}

function articlesIn({ at, end }: Box, boxes: readonly Box[]): Box[] {
  const inside = boxes.slice(at + 1, end);
  return outermost(
    inside.filter(({ name, dropped, all }) => name === 'article' && !dropped && all.letters > 0),
  );
}

function largest(boxes: readonly Box[]): Box | undefined {
  let found: Box | undefined;
  for (const box of boxes) if (!found || box.all.letters > found.all.letters) found = box;
  return found;
}

function outermost(boxes: readonly Box[]): Box[] {
  const found: Box[] = [];
  for (const box of boxes) if (box.at >= (found.at(-1)?.end ?? 0)) found.push(box);
  return found;
}

function commonAncestor(boxes: readonly Box[]): Box | undefined {
  const last = boxes.at(-1);
  let box = boxes[0]?.parent;
  while (box?.parent && last && box.end < last.end) box = box.parent;
  return box;
}
