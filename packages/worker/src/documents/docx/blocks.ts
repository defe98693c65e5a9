import { nextTurn } from '../../extract/turns.ts';
import { append, isElement, type TreeElement, type TreeNode } from '../../tree/nodes.ts';
import { element } from '../../tree/build.ts';
import { childNamed, childrenNamed } from '../../tree/xml.ts';
import { inlineNodes, type Relations } from './inline.ts';
import type { Numbering } from './numbering.ts';
import { type HeadingLevels, levelOf } from './styles.ts';

export interface DocxContext {
  relations: Relations;
  headings: HeadingLevels;
  numbering: Numbering;
}

const maxListLevel = 8;

/** Some milliseconds' work. */
const blocksInTurn = 200;

/** Paragraphs, lists and tables of a body in their order, and everything else has its turn between them. */
export async function bodyNodes(body: TreeElement, context: DocxContext): Promise<TreeNode[]> {
  const blocks: TreeNode[] = [];
  const lists = new OpenLists(blocks);
  for (let at = 0; at < body.children.length; at += blocksInTurn) {
    await nextTurn();
    addBlocks(body.children.slice(at, at + blocksInTurn), context, lists);
  }
  return blocks;
}

function blockNodes(parent: TreeElement, context: DocxContext): TreeNode[] {
  const blocks: TreeNode[] = [];
  addBlocks(parent.children, context, new OpenLists(blocks));
  return blocks;
}

function addBlocks(nodes: readonly TreeNode[], context: DocxContext, lists: OpenLists): void {
  for (const node of nodes.filter(isElement)) {
    if (node.name === 'w:p') addParagraph(node, context, lists);
    else if (node.name === 'w:tbl') lists.end().push(tableNode(node, context));
    else if (['w:sdt', 'w:sdtContent', 'w:customXml', 'w:ins'].includes(node.name))
      addBlocks(node.children, context, lists);
  }
}

function addParagraph(paragraph: TreeElement, context: DocxContext, lists: OpenLists): void {
  const content = inlineNodes(paragraph, context.relations);
  if (content.length === 0) return;
  const properties = childNamed(paragraph, 'w:pPr');
  const style = childNamed(properties, 'w:pStyle')?.attribs['w:val'] ?? '';
  const heading =
    levelOf(childNamed(properties, 'w:outlineLvl')?.attribs['w:val']) ?? context.headings.get(style);
  if (heading !== undefined) return void lists.end().push(element(`h${heading}`, {}, content));
  const number = childNamed(properties, 'w:numPr');
  const level = Number.parseInt(childNamed(number, 'w:ilvl')?.attribs['w:val'] ?? '0', 10) || 0;
  const kind = context.numbering(childNamed(number, 'w:numId')?.attribs['w:val'] ?? '', level);
  if (kind) lists.add(kind, Math.min(Math.max(level, 0), maxListLevel), content);
  else lists.end().push(element('p', {}, content));
}

/** Paragraphs of lists follow each other with their level; here they become lists within items. */
class OpenLists {
  readonly #blocks: TreeNode[];
  readonly #open: { list: TreeElement; level: number }[] = [];

  constructor(blocks: TreeNode[]) {
    this.#blocks = blocks;
  }

  add(kind: 'ol' | 'ul', level: number, content: readonly TreeNode[]): void {
    const open = this.#open;
    for (let top = open.at(-1); top && top.level > level; top = open.at(-1)) open.pop();
    let top = open.at(-1);
    if (top && top.level === level && top.list.name !== kind) {
      open.pop();
      top = open.at(-1);
    }
    if (!top || top.level < level) {
      const list = element(kind, {}, []);
      const item = top?.list.children.at(-1);
      if (item && isElement(item)) append(item, list);
      else this.#blocks.push(list);
      top = { list, level };
      open.push(top);
    }
    append(top.list, element('li', {}, content));
  }

  /** Where the next block goes that is no item. */
  end(): TreeNode[] {
    this.#open.length = 0;
    return this.#blocks;
  }
}

function tableNode(table: TreeElement, context: DocxContext): TreeNode {
  const look = childNamed(childNamed(table, 'w:tblPr'), 'w:tblLook')?.attribs ?? {};
  const rows = childrenNamed(table, 'w:tr').map((row, at) => {
    const repeated = childNamed(childNamed(row, 'w:trPr'), 'w:tblHeader') !== undefined;
    const isHeader = at === 0 && (repeated || look['w:firstRow'] === '1' || hasFirstRowBit(look['w:val']));
    return element(
      'tr',
      {},
      childrenNamed(row, 'w:tc').map((cell) => cellNode(cell, isHeader ? 'th' : 'td', context)),
    );
  });
  return element('table', {}, rows);
}

/** The same setting as older versions write it. */
const hasFirstRowBit = (value: string | undefined): boolean =>
  (Number.parseInt(value ?? '0', 16) & 0x20) !== 0;

function cellNode(cell: TreeElement, name: 'td' | 'th', context: DocxContext): TreeNode {
  const properties = childNamed(cell, 'w:tcPr');
  const span = childNamed(properties, 'w:gridSpan')?.attribs['w:val'];
  const blocks = blockNodes(cell, context);
  const [only, ...others] = blocks;
  // A cell that is one paragraph has its text without one.
  const content =
    only && isElement(only) && only.name === 'p' && others.length === 0 ? only.children : blocks;
  return element(name, span === undefined ? {} : { colspan: span }, content);
}
