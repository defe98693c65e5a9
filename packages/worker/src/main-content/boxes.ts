import { isElement, isText, type Tree, type TreeElement, type TreeNode } from '../tree/tree.ts';
import { Hint, hintOf } from './hints.ts';
import { inlineTags, silentTags } from './tags.ts';

/** A block element with what its text measures. Boxes stand in document order: parents before their descendants. */
export interface Box {
  node: TreeElement;
  parent: Box | undefined;
  hint: Hint;
  /** Letters of its text, descendants included; a character of a script without spaces counts several. */
  letters: number;
  /** Those of them within links. */
  linkLetters: number;
  /** Letters of its blocks that read as prose. */
  prose: number;
  dropped: boolean;
}

export function readBoxes(tree: Tree): Box[] {
  const boxes: Box[] = [];
  const hints = new Map<string, Hint>();
  let box: Box | undefined;
  let run = 0;
  let linked = 0;
  let links = 0;
  const endRun = () => {
    if (run === 0) return;
    if (box) {
      box.letters += run;
      box.linkLetters += linked;
      box.prose += proseOf(run, linked);
    }
    run = linked = 0;
  };
  let node: TreeNode | null = tree.children[0] ?? null;
  while (node) {
    let down: TreeNode | null = null;
    if (isText(node)) {
      const letters = lettersOf(node.data);
      run += letters;
      if (links > 0) linked += letters;
    } else if (isElement(node) && !isSilent(node)) {
      if (node.name === 'br') run += 0;
      else if (inlineTags.has(node.name)) {
        if (node.name === 'a') links++;
      } else {
        endRun();
        box = {
          node,
          parent: box,
          hint: hintFor(node, hints),
          letters: 0,
          linkLetters: 0,
          prose: 0,
          dropped: false,
        };
        boxes.push(box);
      }
      down = node.children[0] ?? null;
      if (!down) leave(node);
    }
    if (down) {
      node = down;
      continue;
    }
    let at: TreeNode | null = node;
    while (at && !at.next) {
      const parent: TreeNode | null = at.parent as TreeNode | null;
      if (parent && isElement(parent)) leave(parent);
      at = parent;
    }
    node = at ? (at.next as TreeNode | null) : null;
  }
  endRun();
  for (let at = boxes.length - 1; at >= 0; at--) {
    const one = boxes[at] as Box;
    if (!one.parent) continue;
    one.parent.letters += one.letters;
    one.parent.linkLetters += one.linkLetters;
    one.parent.prose += one.prose;
  }
  return boxes;

  function leave(element: TreeElement): void {
    if (inlineTags.has(element.name)) {
      if (element.name === 'a') links--;
    } else if (box?.node === element) {
      endRun();
      box = box.parent;
    }
  }
}

export function isSilent({ name, attribs }: TreeElement): boolean {
  return (
    silentTags.has(name) ||
    attribs['hidden'] !== undefined ||
    attribs['aria-hidden'] === 'true' ||
    (attribs['style'] !== undefined && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attribs['style']))
  );
}

function hintFor({ attribs }: TreeElement, known: Map<string, Hint>): Hint {
  const names = `${attribs['class'] ?? ''} ${attribs['id'] ?? ''}`;
  if (names === ' ') return Hint.none;
  let hint = known.get(names);
  if (hint === undefined) known.set(names, (hint = hintOf(names)));
  return hint;
}

/** Scripts from here on put words together without spaces: a character holds about as much as three letters. */
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
