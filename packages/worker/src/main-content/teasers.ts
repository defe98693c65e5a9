import { type Box, isLeaf, totalOf } from './boxes.ts';
import { contentTags } from './tags.ts';

/** How far above its title a teaser may begin. */
const maxLevels = 6;
/** Letters. */
const maxProse = 500;
const minTitle = 15;
const minRow = 3;
/** Of the letters of what a row stands in: a row is most of it. */
const minPart = 0.5;
/** A page with more of its prose in teasers is a list of them: they are its content. */
const maxShare = 0.7;

/** Drops teasers of other pages: rows of at least three like elements with a linked title each. */
export function dropTeasers(boxes: readonly Box[], isArticle: boolean): void {
  const teasers = [...rowsOf(boxes)].flatMap(([parent, row]) => {
    // The rows of a table may all begin with a link; articles of old stand in tables.
    const alike = row.filter(({ name }) => name === row[0]?.name && (isArticle || name !== 'tr'));
    const letters = alike.reduce((sum, { all }) => sum + all.letters, 0);
    return alike.length >= minRow && letters >= minPart * parent.all.letters ? alike : [];
  });
  if (proseOf(teasers) > maxShare * totalOf(boxes).prose) return;
  for (const teaser of teasers) teaser.dropped = true;
}

/** The elements that may be teasers, by the element they stand in. */
function rowsOf(boxes: readonly Box[]): Map<Box, Box[]> {
  const rows = new Map<Box, Box[]>();
  for (const title of boxes) {
    if (!isLinkedTitle(title)) continue;
    let box = title.parent;
    for (let level = 0; level < maxLevels && box?.parent && mayBeTeaser(box); level++, box = box.parent) {
      // A wrapper of the title alone says nothing about the page it leads to.
      if (box.all.letters === title.all.letters) continue;
      const row = rows.get(box.parent);
      if (!row) rows.set(box.parent, [box]);
      else if (row.at(-1) !== box) row.push(box);
    }
  }
  return rows;
}

function isLinkedTitle(box: Box): boolean {
  const { letters, linkLetters } = box.all;
  return isLeaf(box) && !box.headline && letters >= minTitle && linkLetters >= 0.9 * letters;
}

function mayBeTeaser({ name, headline, all }: Box): boolean {
  return !headline && all.prose <= maxProse && (name === 'article' || !contentTags.has(name));
}

/** Counts the prose of nested boxes once. */
function proseOf(boxes: readonly Box[]): number {
  let prose = 0;
  let end = 0;
  for (const box of boxes.toSorted((one, other) => one.at - other.at)) {
    if (box.at < end) continue;
    prose += box.all.prose;
    end = box.end;
  }
  return prose;
}
