import { isElement, isText, type TreeElement } from '../tree/tree.ts';
import type { Box } from './boxes.ts';
import { Hint } from './hints.ts';
import { headingTags } from './tags.ts';

/** An id that names a section by its heading says nothing about it. */
export function namesItsHeading({ node, hint, classHint }: Box): boolean {
  if (hint === Hint.none || hint === classHint || !('attribs' in node)) return false;
  if (headingTags.has(node.name)) return true;
  const first = node.children.find(isElement);
  return (
    first !== undefined && headingTags.has(first.name) && slug(first) === slugOf(node.attribs['id'] ?? '')
  );
}

const slugOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

function slug(heading: TreeElement): string {
  let text = '';
  const read = (nodes: TreeElement['children']): void => {
    for (const node of nodes) {
      if (isText(node)) text += node.data;
      else read(node.children);
    }
  };
  read(heading.children);
  return slugOf(text);
}
