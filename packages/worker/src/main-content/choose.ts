import { type Box, type Measure, measure, type Reading, totalOf } from './boxes.ts';
import { dropSurroundings } from './surroundings.ts';
import { headingTags, partTags } from './tags.ts';
import { dropTeasers } from './teasers.ts';

export interface Chosen {
  box: Box;
  /** The page has hardly any prose: its content is a list of links, or nothing. */
  isList: boolean;
}

/** A child that holds this share of what its parent holds is chosen in its place. */
const descendShare = 0.8;
/** The body that a page marks as its article may hold less of the prose around it; the article under the headline, less still. */
const markedShare = 0.3;
const articleShare = 0.1;
/** A list of links: share of link text, and the letters of prose it may have. */
const minListDensity = 0.8;
const maxListProse = 50;
/** Fewer letters of prose make no article where links were left out for them. */
const thinProse = 200;

/** The element that holds the content of a page, once all that is surely no content was dropped. */
export function chooseContent({ boxes, isArticle }: Reading): Chosen | undefined {
  dropSurroundings(boxes);
  measure(boxes);
  if (totalOf(boxes).letters === 0) restore(boxes, []);
  const before = boxes.map(({ dropped }) => dropped);
  const { letters } = totalOf(boxes);
  dropTeasers(boxes, isArticle);
  measure(boxes);
  dropLinkLists(boxes, isArticle);
  measure(boxes);
  const left = totalOf(boxes);
  const isList = left.prose < thinProse && left.letters < letters / 3;
  if (isList) restore(boxes, before);
  const box = deepestBox(boxes, isList || left.prose === 0 ? 'letters' : 'prose');
  if (!box) return undefined;
  return { box: isList ? box : (markedBody(box, boxes) ?? articleOfHeadline(box, boxes) ?? box), isList };
}

function restore(boxes: readonly Box[], dropped: readonly boolean[]): void {
  for (const box of boxes) box.dropped = dropped[box.at] ?? false;
  measure(boxes);
}

/** Of what is no article, lists as a whole: its headings and cells may all be links. */
function dropLinkLists(boxes: readonly Box[], isArticle: boolean): void {
  for (const box of boxes) {
    if (!isArticle && (headingTags.has(box.name) || partTags.has(box.name))) continue;
    const { letters, linkLetters, prose } = box.all;
    if (!box.parent || box.name === 'p' || prose >= maxListProse) continue;
    if (linkLetters > letters * minListDensity) box.dropped = true;
  }
}

/** Goes down from the root while one child holds nearly all that counts. */
function deepestBox(boxes: readonly Box[], by: keyof Measure): Box | undefined {
  let [deepest] = boxes;
  if (!deepest || deepest.all[by] === 0) return undefined;
  for (const box of boxes)
    if (box.at < deepest.end && box.all[by] >= descendShare * deepest.all[by]) deepest = box;
  return deepest;
}

/** What the page itself declares as the body of its article. */
function markedBody(chosen: Box, boxes: readonly Box[]): Box | undefined {
  const marked = inside(chosen, boxes).filter(
    ({ node }) => 'attribs' in node && node.attribs['itemprop'] === 'articleBody',
  );
  const [body] = marked;
  if (!body || marked.length > 1) return undefined;
  return body.all.prose >= markedShare * chosen.all.prose ? body : undefined;
}

/** Of several articles the one under the headline: the others are further reading. */
function articleOfHeadline(chosen: Box, boxes: readonly Box[]): Box | undefined {
  const articles = inside(chosen, boxes).filter(({ name, all }) => name === 'article' && all.prose > 0);
  const [article, ...others] = articles.filter(({ headline }) => headline);
  if (!article || others.length > 0 || articles.length === 1) return undefined;
  return article.all.prose >= articleShare * chosen.all.prose ? article : undefined;
}

function inside(chosen: Box, boxes: readonly Box[]): Box[] {
  return boxes.slice(chosen.at + 1, chosen.end).filter(({ dropped }) => !dropped);
}
