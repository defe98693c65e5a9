import { isBlock, isUnseen } from '../markdown/elements.ts';
import { textOf } from '../markdown/to-text.ts';
import { isText, type Tree, type TreeElement, type TreeNode } from '../tree/tree.ts';
import { Hint, hintOf } from './hints.ts';
import { headingTags } from './tags.ts';

/**
 * A block element with what its text measures. Boxes stand in document order: parents before their descendants, and
 * before all a box for the document, as a page may have no element that holds all others.
 */
export interface Box {
  node: TreeElement | Tree;
  name: string;
  role: string;
  parent: Box | undefined;
  /** Its place in the list of boxes, and where its descendants end there. */
  at: number;
  end: number;
  hint: Hint;
  /** What its class alone says: an id may be the name of a section that its heading repeats. */
  classHint: Hint;
  /** Of the text that stands directly in it. */
  own: Measure;
  /** Of its whole text, without what was dropped. */
  all: Measure;
  /** Is the headline of the page, or holds it. */
  headline: boolean;
  /** Is a quotation, or holds one. */
  quote: boolean;
  /** Not part of the content, and nothing in it is. */
  dropped: boolean;
}

/** Counts letters; a character of a script that puts no spaces between words counts as several. */
export interface Measure {
  letters: number;
  linkLetters: number;
  /** Letters of blocks that read as sentences rather than as labels or links. */
  prose: number;
  /** Letters of links to places of the same page. */
  jumpLetters: number;
}

export interface Reading {
  boxes: Box[];
  /** The heading of the page. */
  headline: Box | undefined;
  /** Of the `title` element. */
  title: string;
  /** The page says of itself that it is an article. */
  isArticle: boolean;
}

export function readBoxes(tree: Tree): Reading {
  const boxes: Box[] = [];
  const hints = new Map<string, Hint>();
  let title = '';
  const root = newBox(tree, 'html');
  let box = root;
  boxes.push(root);
  // The run of text being read, which ends where a block starts or ends.
  let letters = 0;
  let linkLetters = 0;
  let openLinks = 0;
  let jumpLetters = 0;
  let openJumps = 0;
  let isArticle = false;
  const endRun = () => {
    if (letters > 0) {
      box.own.letters += letters;
      box.own.linkLetters += linkLetters;
      box.own.jumpLetters += jumpLetters;
      box.own.prose += proseOf(letters, linkLetters);
    }
    letters = linkLetters = jumpLetters = 0;
  };
  const enter = (node: TreeElement) => {
    if (node.name === 'a') openLinks++;
    if (isJump(node)) openJumps++;
    if (node.name === 'br') endRun();
    if (!isBox(node.name)) return;
    endRun();
    box = newBox(node, node.name, box, boxes.length);
    box.hint = hintFor(node, hints);
    box.classHint = box.hint === Hint.none || !node.attribs['id'] ? box.hint : classHintFor(node, hints);
    boxes.push(box);
  };
  const leave = (node: TreeElement) => {
    if (node.name === 'a') openLinks--;
    if (isJump(node)) openJumps--;
    if (box.node !== node) return;
    endRun();
    box.end = boxes.length;
    box = box.parent ?? root;
  };
  const read = (nodes: readonly TreeNode[]): void => {
    for (const node of nodes) {
      if (isText(node)) {
        const count = lettersOf(node.data);
        letters += count;
        if (openLinks > 0) linkLetters += count;
        if (openJumps > 0) jumpLetters += count;
        continue;
      }
      if (node.name === 'title') title ||= textOf(node);
      isArticle ||= declaresArticle(node);
      if (isSilent(node)) continue;
      enter(node);
      read(node.children);
      leave(node);
    }
  };
  read(tree.children);
  endRun();
  root.end = boxes.length;
  const headline = headlineOf(boxes, title);
  if (headline) headline.headline = true;
  for (let at = boxes.length - 1; at >= 0; at--) {
    const { parent, headline: holds, quote } = boxes[at] as Box;
    if (!parent) continue;
    parent.headline ||= holds;
    parent.quote ||= quote;
  }
  measure(boxes);
  return { boxes, headline, title, isArticle };
}

function newBox(node: Box['node'], name: string, parent?: Box, at = 0): Box {
  return {
    node,
    name,
    role: 'attribs' in node ? (node.attribs['role'] ?? '') : '',
    parent,
    at,
    end: 0,
    hint: Hint.none,
    classHint: Hint.none,
    own: nothing(),
    all: nothing(),
    headline: false,
    quote: name === 'blockquote',
    dropped: false,
  };
}

const nothing = (): Measure => ({ letters: 0, linkLetters: 0, prose: 0, jumpLetters: 0 });

/** Of all that was not dropped. */
export function totalOf([root]: readonly Box[]): Measure {
  return root?.all ?? nothing();
}

/** Adds up what boxes measure after some of them were dropped, together with all that is in them. */
export function measure(boxes: readonly Box[]): void {
  for (const box of boxes) {
    if (box.parent?.dropped) box.dropped = true;
    const { dropped, own, all } = box;
    all.letters = dropped ? 0 : own.letters;
    all.linkLetters = dropped ? 0 : own.linkLetters;
    all.prose = dropped ? 0 : own.prose;
    all.jumpLetters = dropped ? 0 : own.jumpLetters;
  }
  for (let at = boxes.length - 1; at >= 0; at--) {
    const { parent, all } = boxes[at] as Box;
    if (!parent) continue;
    parent.all.letters += all.letters;
    parent.all.linkLetters += all.linkLetters;
    parent.all.prose += all.prose;
    parent.all.jumpLetters += all.jumpLetters;
  }
}

export const isLeaf = (box: Box): boolean => box.end === box.at + 1;

/** The heading that the title of the page repeats, or else the first of the highest level. */
function headlineOf(boxes: readonly Box[], title: string): Box | undefined {
  const wanted = title.toLowerCase();
  let first: Box | undefined;
  for (const box of boxes) {
    const { name } = box;
    if (!headingTags.has(name) || name > 'h3') continue;
    if (name === 'h1') first ??= box;
    const text = textOf(box.node as TreeElement).toLowerCase();
    if (text.length >= 15 && wanted.includes(text)) return box;
  }
  return first;
}

/** Cells too: each has a text of its own. */
const isBox = (name: string): boolean => isBlock(name) || name === 'td' || name === 'th';

const isJump = ({ name, attribs }: TreeElement): boolean =>
  name === 'a' && attribs['href']?.startsWith('#') === true;

const articleTypes = /"@type"\s*:\s*\[?\s*"(?:\w*Article|\w*Posting)"/;

/** Open Graph or JSON-LD calls the page an article or a post. */
function declaresArticle({ name, attribs, children: [text] }: TreeElement): boolean {
  if (name === 'script')
    return (
      attribs['type'] === 'application/ld+json' &&
      text !== undefined &&
      isText(text) &&
      articleTypes.test(text.data)
    );
  if (name !== 'meta') return attribs['itemprop'] === 'articleBody';
  const property = attribs['property'] ?? attribs['name'];
  return (
    property === 'article:published_time' ||
    (property === 'og:type' && /^article/i.test(attribs['content'] ?? ''))
  );
}

/** Not read as part of the page: unseen, or a control. The heading of what folds may be one. */
export function isSilent(node: TreeElement): boolean {
  const { name, attribs, parent } = node;
  if (name === 'button') return !(parent && 'name' in parent && headingTags.has(parent.name));
  return attribs['aria-hidden'] === 'true' || isUnseen(node);
}

function hintFor({ attribs }: TreeElement, known: Map<string, Hint>): Hint {
  const names = `${attribs['class'] ?? ''} ${attribs['id'] ?? ''}`;
  return names === ' ' ? Hint.none : hintOfNames(names, known);
}

function classHintFor({ attribs }: TreeElement, known: Map<string, Hint>): Hint {
  return attribs['class'] === undefined ? Hint.none : hintOfNames(attribs['class'], known);
}

function hintOfNames(names: string, known: Map<string, Hint>): Hint {
  let hint = known.get(names);
  if (hint === undefined) known.set(names, (hint = hintOf(names)));
  return hint;
}

/** The scripts of East Asia begin here; a character of theirs says about as much as three letters. */
const firstDense = 0x2e80;

function lettersOf(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 32 && code !== 160) letters += code < firstDense ? 1 : 3;
  }
  return letters;
}

function proseOf(letters: number, linkLetters: number): number {
  const own = letters - linkLetters;
  return own < 25 || linkLetters > letters / 2 ? 0 : own;
}
