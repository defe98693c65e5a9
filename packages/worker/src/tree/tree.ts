import type { Tree } from './nodes.ts';
import { readHtml } from './read-html.ts';
import { shallowParser } from './shallow-parser.ts';
import { TreeBuilder } from './tree-builder.ts';

export { isElement, isText, type Tree, type TreeElement, type TreeNode, type TreeText } from './nodes.ts';
export { maxDepth } from './tree-builder.ts';

/** A page as a tree of elements and texts. All readers share it, so none changes it. */
export function readTree(source: string, { xml }: { xml: boolean }): Tree {
  // By the standard a line ends in one way before anything is read.
  const text = source.includes('\r') ? source.replaceAll(/\r\n?/g, '\n') : source;
  return xml ? readXml(text) : readHtml(text);
}

/** Names keep their case; a CDATA section is text. */
function readXml(xml: string): Tree {
  const builder = new TreeBuilder();
  const handler = {
    onopentag: (name: string, attribs: Record<string, string>) => builder.open(name, attribs),
    onclosetag: () => builder.pop(),
    ontext: (data: string) => builder.text(data),
  };
  shallowParser(handler, { xml: true }).end(xml);
  return builder.tree;
}
