import { DomHandler, ElementType, Parser, type parseDocument } from 'htmlparser2';

/** A page as a tree of elements and texts, entities decoded. All readers share it, so none changes it. */
export type Tree = ReturnType<typeof parseDocument>;
export type TreeNode = Tree['children'][number];
export type TreeElement = Extract<TreeNode, { attribs: unknown }>;
export type TreeText = Extract<TreeNode, { type: ElementType.ElementType.Text }>;

/** Elements within elements, as in browsers. What is nested deeper stands beside its parent. */
export const maxDepth = 512;

export function readTree(source: string, { xml }: { xml: boolean }): Tree {
  const handler = new DomHandler(undefined, { xmlMode: xml });
  const parser = new Parser(handler, { xmlMode: xml, decodeEntities: true });
  keepShallow(parser);
  // By the standard a line ends in one way before anything is read.
  parser.end(source.includes('\r') ? source.replaceAll(/\r\n?/g, '\n') : source);
  return handler.root;
}

/**
 * The time that the parser takes grows with the square of the depth, and readers that recurse would run out of stack. So
 * that the deepest element can be closed where the next one opens, this reaches for members that are not public.
 */
function keepShallow(parser: Parser): void {
  const inner = parser as unknown as {
    stack: string[];
    popElement(implied: boolean): void;
    onopentagname(start: number, end: number): void;
  };
  const open = inner.onopentagname.bind(parser);
  inner.onopentagname = (start, end) => {
    if (inner.stack.length >= maxDepth) inner.popElement(true);
    open(start, end);
  };
}

export function isElement(node: TreeNode): node is TreeElement {
  return ElementType.isTag(node);
}

export function isText(node: TreeNode): node is TreeText {
  return node.type === ElementType.ElementType.Text;
}
