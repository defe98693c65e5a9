import type { Tree } from '../../tree/nodes.ts';
import { childNamed, childrenNamed } from '../../tree/xml.ts';

export type HeadingLevels = ReadonlyMap<string, number>;

/** How far styles are followed that are based on others. */
const maxSteps = 10;

/** The level of heading that each paragraph style means: by its outline level or built-in name, its own or inherited. */
export function headingStyles(styles: Tree | undefined): HeadingLevels {
  const root = styles && childNamed(styles, 'w:styles');
  const own = new Map<string, { level: number | undefined; base: string | undefined }>();
  for (const style of root ? childrenNamed(root, 'w:style') : []) {
    const outline = childNamed(childNamed(style, 'w:pPr'), 'w:outlineLvl')?.attribs['w:val'];
    const name = childNamed(style, 'w:name')?.attribs['w:val'] ?? '';
    own.set(style.attribs['w:styleId'] ?? '', {
      level: levelOfName(name) ?? levelOf(outline),
      base: childNamed(style, 'w:basedOn')?.attribs['w:val'],
    });
  }
  const levels = new Map<string, number>();
  for (const id of own.keys()) {
    let style = own.get(id);
    for (let step = 0; style && style.level === undefined && step < maxSteps; step++)
      style = own.get(style.base ?? '');
    if (style?.level !== undefined) levels.set(id, style.level);
  }
  return levels;
}

function levelOfName(name: string): number | undefined {
  if (/^title$/i.test(name)) return 1;
  const [, level] = /^heading ([1-9])$/i.exec(name) ?? [];
  return level === undefined ? undefined : Math.min(Number(level), 6);
}

/** Outline levels count from 0; 9 is text. */
export function levelOf(outline: string | undefined): number | undefined {
  const level = Number.parseInt(outline ?? '', 10);
  return level >= 0 && level < 9 ? Math.min(level + 1, 6) : undefined;
}
