import { isElement, type TreeElement, type TreeNode } from '../../tree/nodes.ts';
import { element } from '../../tree/build.ts';
import { childNamed, rawTextOf } from '../../tree/xml.ts';

/** Where a relation of the document leads, by its id. */
export type Relations = ReadonlyMap<string, string>;

/** Parts of a paragraph that only group others: insertions, smart tags, fields, content controls. */
const groups = new Set([
  'w:ins',
  'w:moveTo',
  'w:smartTag',
  'w:fldSimple',
  'w:sdt',
  'w:sdtContent',
  'w:customXml',
]);

/** The text of a paragraph with its marks and links. What was deleted while changes are tracked is left out. */
export function inlineNodes(parent: TreeElement, relations: Relations): TreeNode[] {
  return parent.children.filter(isElement).flatMap((node): TreeNode[] => {
    if (node.name === 'w:r') return runNodes(node);
    if (groups.has(node.name)) return inlineNodes(node, relations);
    if (node.name !== 'w:hyperlink') return [];
    const target = relations.get(node.attribs['r:id'] ?? '');
    const inner = inlineNodes(node, relations);
    return target === undefined ? inner : [element('a', { href: target }, inner)];
  });
}

const marks = [
  ['w:b', 'b'],
  ['w:i', 'i'],
  ['w:strike', 's'],
] as const;

/** Set high or low. */
const places = new Map([
  ['superscript', 'sup'],
  ['subscript', 'sub'],
]);

function runNodes(run: TreeElement): TreeNode[] {
  const properties = childNamed(run, 'w:rPr');
  if (isOn(childNamed(properties, 'w:vanish'))) return [];
  let nodes = run.children.filter(isElement).flatMap((part): (TreeNode | string)[] => {
    switch (part.name) {
      case 'w:t':
        return [rawTextOf(part)];
      case 'w:tab':
        return [' '];
      case 'w:br':
      case 'w:cr':
        return [element('br', {}, [])];
      case 'w:noBreakHyphen':
        return ['-'];
      default:
        return [];
    }
  });
  if (nodes.length === 0) return [];
  const place = places.get(childNamed(properties, 'w:vertAlign')?.attribs['w:val'] ?? '');
  if (place !== undefined) nodes = [element(place, {}, nodes)];
  for (const [name, tag] of marks) if (isOn(childNamed(properties, name))) nodes = [element(tag, {}, nodes)];
  return [...element('span', {}, nodes).children];
}

function isOn(property: TreeElement | undefined): boolean {
  return property !== undefined && !/^(?:0|false|off|none)$/.test(property.attribs['w:val'] ?? '');
}
