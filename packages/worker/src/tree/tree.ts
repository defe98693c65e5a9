import { nextTurn } from '../extract/turns.ts';
import { type Budget, createBudget, spendAttribute, spendText, withinBudget } from './budget.ts';
import type { Tree } from './nodes.ts';
import { readHtml, readHtmlInTurns } from './read-html.ts';
import { shallowParser } from './shallow-parser.ts';
import { TreeBuilder } from './tree-builder.ts';

export { isElement, isText, type Tree, type TreeElement, type TreeNode, type TreeText } from './nodes.ts';
export { maxDepth } from './tree-builder.ts';

export interface ReadOptions {
  xml: boolean;
  /** Shared by the parts of one document; by default the text is all of it. */
  budget?: Budget;
}

/** A page as a tree of elements and texts. All readers share it, so none changes it. */
export function readTree(source: string, { xml, budget = createBudget() }: ReadOptions): Tree {
  const text = withOneLineEnd(source);
  if (!xml) return marked(readHtml(text, budget), budget);
  const { tree, parser } = openXml(budget);
  withinBudget(() => parser.end(text));
  return marked(tree, budget);
}

/** The same for megabytes: everything else has its turn between two pieces. */
export async function readTreeInTurns(
  source: string,
  { xml, budget = createBudget() }: ReadOptions,
): Promise<Tree> {
  const text = await withOneLineEndInTurns(source);
  if (!xml) return marked(await readHtmlInTurns(text, budget), budget);
  const { tree, parser } = openXml(budget);
  for (let at = 0; at < text.length && budget.cut === undefined; at += pieceLength) {
    if (at > 0) await nextTurn();
    withinBudget(() => parser.write(text.slice(at, at + pieceLength)));
  }
  if (budget.cut === undefined) withinBudget(() => parser.end());
  return marked(tree, budget);
}

/** Some ten milliseconds' work. */
const pieceLength = 65_536;

/** By the standard a line ends in one way before anything is read. */
const withOneLineEnd = (source: string): string =>
  source.includes('\r') ? source.replaceAll(/\r\n?/g, '\n') : source;

/** Line ends that are looked for at once. */
const lineEndsLength = 1_000_000;

async function withOneLineEndInTurns(source: string): Promise<string> {
  if (!source.includes('\r')) return source;
  let text = '';
  for (let at = 0; at < source.length; ) {
    const length = at + lineEndsLength;
    const end = source.startsWith('\r\n', length - 1) ? length + 1 : length;
    text += withOneLineEnd(source.slice(at, end));
    at = end;
    await nextTurn();
  }
  return text;
}

function marked(tree: Tree, { cut }: Budget): Tree {
  if (cut !== undefined) tree.cut = cut;
  return tree;
}

/** Names keep their case; a CDATA section is text. */
function openXml(budget: Budget) {
  const builder = new TreeBuilder(budget);
  const handler = {
    onattribute: (_name: string, value: string) => spendAttribute(budget, value.length),
    onopentag: (name: string, attribs: Record<string, string>) => builder.open(name, attribs),
    onclosetag: () => builder.pop(),
    ontext: (data: string) => spendText(budget, data.length, (length) => builder.text(data.slice(0, length))),
  };
  return { tree: builder.tree, parser: shallowParser(handler, { xml: true }) };
}
