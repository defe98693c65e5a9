import { ElementType, parseDocument } from 'htmlparser2';

/** A page as a tree of elements and texts, entities decoded. All readers share it, so none changes it. */
export type Tree = ReturnType<typeof parseDocument>;
export type TreeNode = Tree['children'][number];
export type TreeElement = Extract<TreeNode, { attribs: unknown }>;
export type TreeText = Extract<TreeNode, { type: ElementType.ElementType.Text }>;

export function readTree(source: string, { xml }: { xml: boolean }): Tree {
  return parseDocument(source, { xmlMode: xml, decodeEntities: true });
}

export function isElement(node: TreeNode): node is TreeElement {
  return ElementType.isTag(node);
}

export function isText(node: TreeNode): node is TreeText {
  return node.type === ElementType.ElementType.Text;
}
