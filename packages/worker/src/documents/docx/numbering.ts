import type { Tree, TreeElement } from '../../tree/nodes.ts';
import { childNamed, childrenNamed } from '../../tree/xml.ts';

/** Whether the items of a list have numbers, by the list's id and the level. */
export type Numbering = (numId: string, level: number) => 'ol' | 'ul' | undefined;

export function readNumbering(numbering: Tree | undefined): Numbering {
  const root = numbering && childNamed(numbering, 'w:numbering');
  const kinds = new Map<string, Map<string, string>>();
  for (const kind of root ? childrenNamed(root, 'w:abstractNum') : [])
    kinds.set(kind.attribs['w:abstractNumId'] ?? '', formatsOf(kind));
  const lists = new Map<string, Map<string, string>>();
  for (const list of root ? childrenNamed(root, 'w:num') : []) {
    const kind = kinds.get(childNamed(list, 'w:abstractNumId')?.attribs['w:val'] ?? '');
    lists.set(list.attribs['w:numId'] ?? '', kind ?? new Map());
  }
  return (numId, level) => {
    const formats = lists.get(numId);
    if (!formats) return undefined;
    const format = formats.get(String(level)) ?? 'bullet';
    if (format === 'none') return undefined;
    return format === 'bullet' ? 'ul' : 'ol';
  };
}

function formatsOf(kind: TreeElement): Map<string, string> {
  return new Map(
    childrenNamed(kind, 'w:lvl').map((level) => [
      level.attribs['w:ilvl'] ?? '',
      childNamed(level, 'w:numFmt')?.attribs['w:val'] ?? 'bullet',
    ]),
  );
}
