import type { TreeElement, TreeNode } from '../tree/tree.ts';
import { type Admonition, admonitionOf, saysMore } from './admonition.ts';
import { codeOf, languageOf } from './code.ts';
import { headingLevel, isBlock, isUnseen } from './elements.ts';
import { type LinkResolver, linkResolver } from './links.ts';
import { type MarkKind, MarkdownWriter } from './markdown-writer.ts';
import { dataTable, layOut, type TableRows } from './table-grid.ts';
import { textOf } from './to-text.ts';
import { type Visitor, walk } from './walk.ts';

export interface MarkdownOptions {
  /** What relative links are relative to. */
  base: string;
}

/**
 * Nodes of a page as Markdown (CommonMark with GitHub's tables, task lists and strikethrough). One pass, and time and
 * memory in proportion to the nodes, however they are nested.
 */
export function toMarkdown(nodes: readonly TreeNode[], { base }: MarkdownOptions): string {
  return write(nodes, linkResolver(base), { cell: false });
}

function write(nodes: readonly TreeNode[], resolve: LinkResolver, kind: { cell: boolean }): string {
  const writer = new MarkdownWriter(kind);
  walk(nodes, new MarkdownVisitor(writer, resolve));
  return writer.toString();
}

interface List {
  ordered: boolean;
  /** Of the next item. */
  number: number;
  /** `-`, `*`, `.` or `)`. */
  sign: string;
  /** Of the quotes and items around the list. */
  depth: number;
  items: number;
  /** Of the last item's marker. */
  width: number;
}

const marks = new Map([
  ...(['b', 'strong'] as const).map((name) => [name, 'strong'] as const),
  ...(['i', 'em'] as const).map((name) => [name, 'emphasis'] as const),
  ...(['s', 'del', 'strike'] as const).map((name) => [name, 'deleted'] as const),
  ['sub', 'sub'],
  ['sup', 'sup'],
] as [string, Exclude<MarkKind, 'link'>][]);

class MarkdownVisitor implements Visitor {
  readonly #writer: MarkdownWriter;
  readonly #resolve: LinkResolver;
  /** What to do when an element is left, for those that need more than the end of a block. */
  readonly #leaving: { element: TreeElement; leave: () => void }[] = [];
  readonly #lists: List[] = [];
  /** Titles of admonitions, and whether they are written. */
  readonly #titles = new Map<TreeElement, boolean>();
  /** The list that ended last, and where: one that follows at once must look different. */
  #ended: { list: List; position: number } | undefined;

  constructor(writer: MarkdownWriter, resolve: LinkResolver) {
    this.#writer = writer;
    this.#resolve = resolve;
  }

  text(data: string): void {
    this.#writer.text(data);
  }

  enter(element: TreeElement): boolean {
    if (isUnseen(element)) return false;
    const { name } = element;
    const asTitle = this.#titles.get(element);
    if (asTitle !== undefined) return asTitle && this.#term(element);
    const admonition = admonitionOf(element);
    if (admonition) return this.#admonition(element, admonition);
    const mark = marks.get(name);
    if (mark !== undefined) {
      if (this.#writer.openMark(mark)) this.#onLeave(element, () => this.#writer.closeMark());
      return true;
    }
    const level = headingLevel(name);
    if (level > 0) {
      if (this.#writer.startHeading(level)) this.#onLeave(element, () => this.#writer.endHeading());
      else this.#writer.block();
      return true;
    }
    return this.#enterOther(element);
  }

  leave(element: TreeElement): void {
    const last = this.#leaving.at(-1);
    if (last?.element === element) {
      this.#leaving.pop();
      last.leave();
    } else if (isBlock(element.name)) this.#writer.block();
  }

  #onLeave(element: TreeElement, leave: () => void): void {
    this.#leaving.push({ element, leave });
  }

  #enterOther(element: TreeElement): boolean {
    switch (element.name) {
      case 'br':
        this.#writer.lineBreak();
        return false;
      case 'hr':
        this.#writer.rule();
        return false;
      case 'img':
        this.#image(element);
        return false;
      case 'input':
        if (element.attribs.type === 'checkbox') this.#writer.taskBox('checked' in element.attribs);
        return false;
      case 'a':
        return this.#link(element);
      case 'code':
      case 'kbd':
      case 'samp':
      case 'tt':
        return this.#code(element);
      case 'pre':
        this.#writer.codeBlock(codeOf(element), languageOf(element));
        return false;
      case 'table':
        return this.#table(element);
      case 'td':
      case 'th':
        // Of a table that only arranges the page.
        this.#writer.block();
        this.#onLeave(element, () => this.#writer.block());
        return true;
      case 'ul':
      case 'ol':
      case 'menu':
      case 'dir':
        return this.#list(element);
      case 'li':
      case 'dd':
        return this.#item(element);
      case 'blockquote':
        return this.#quote(element);
      case 'dt':
      case 'summary':
        return this.#term(element);
      case 'q':
        this.#writer.text('"');
        this.#onLeave(element, () => this.#writer.text('"'));
        return true;
      default:
        if (isBlock(element.name)) this.#writer.block();
        return true;
    }
  }

  #image({ attribs }: TreeElement): void {
    const source = this.#resolve(attribs.src) ?? this.#resolve(attribs['data-src']);
    // A picture of one pixel counts visits.
    if (source === undefined || attribs.width === '1' || attribs.height === '1') return;
    this.#writer.image(attribs.alt ?? '', source);
  }

  #link(element: TreeElement): boolean {
    const { href } = element.attribs;
    // A heading that links to itself is its text.
    if (this.#writer.isHeading && href?.startsWith('#')) return true;
    const destination = this.#resolve(href);
    if (destination !== undefined && this.#writer.openLink(destination))
      this.#onLeave(element, () => this.#writer.closeMark());
    return true;
  }

  #code(element: TreeElement): boolean {
    const [only, ...others] = element.children;
    // A link that is all of the code stays a link, around it.
    if (only?.type === 'tag' && only.name === 'a' && others.length === 0) {
      const destination = this.#resolve(only.attribs.href);
      const opened = destination !== undefined && this.#writer.openLink(destination);
      this.#writer.code(textOf(only));
      if (opened) this.#writer.closeMark();
      return false;
    }
    this.#writer.code(textOf(element));
    return false;
  }

  #list(element: TreeElement): boolean {
    const writer = this.#writer;
    if (writer.isOneLine) {
      writer.block();
      return true;
    }
    const ordered = element.name === 'ol';
    const outer = this.#lists.at(-1);
    const isBetweenItems = outer !== undefined && outer.items > 0 && outer.depth === writer.depth;
    const number = ordered ? numberOf(element.attribs.start, 1) : 1;
    // Within an item a list follows its text at once, unless only a blank line lets it begin with another number.
    if ((isBetweenItems || (outer && outer.depth < writer.depth)) && number === 1) writer.listLine();
    else writer.block();
    const indent = ' '.repeat(outer?.width ?? 0);
    const isIndented = isBetweenItems && writer.enter({ first: indent, rest: indent });
    const list = { ordered, number, sign: '', depth: writer.depth, items: 0, width: 0 };
    list.sign = this.#signFor(list);
    this.#lists.push(list);
    this.#onLeave(element, () => {
      this.#lists.pop();
      this.#ended = { list, position: writer.position };
      if (isIndented) writer.leave();
      writer.block();
    });
    return true;
  }

  /** Two lists in a row would be one, were their markers the same. */
  #signFor({ ordered, depth }: List): string {
    const [usual, other] = ordered ? ['.', ')'] : ['-', '*'];
    const before = this.#ended;
    const follows = before?.position === this.#writer.position && before.list.depth === depth;
    return follows && before.list.sign === usual ? (other as string) : (usual as string);
  }

  #item(element: TreeElement): boolean {
    const writer = this.#writer;
    const own = this.#lists.at(-1);
    const list = own?.depth === writer.depth && element.name === 'li' ? own : undefined;
    const follows = this.#ended?.position === writer.position && this.#ended.list.depth === writer.depth;
    if (list ? list.items > 0 : follows) writer.listLine();
    else writer.block(list ? 1 : 2);
    const number = list?.ordered ? numberOf(element.attribs.value, list.number) : 0;
    const first = list?.ordered ? `${number}${list.sign} ` : `${list?.sign ?? '-'} `;
    const rest = ' '.repeat(first.length);
    if (list) Object.assign(list, { number: number + 1, items: list.items + 1, width: first.length });
    const entered = writer.enter({ first, rest });
    if (!entered) {
      writer.block();
      return true;
    }
    this.#onLeave(element, () => {
      writer.leave({ keepEmpty: list?.ordered ?? false });
      if (list) return writer.listLine();
      const loose = { ordered: false, number: 1, sign: '-', depth: writer.depth, items: 1, width: 2 };
      this.#ended = { list: loose, position: writer.position };
      writer.block();
    });
    return true;
  }

  /** As GitHub writes them: a quote that begins with its kind. A title of its own follows. */
  #admonition(element: TreeElement, { kind, title }: Admonition): boolean {
    if (title) this.#titles.set(title, saysMore(title, kind));
    return this.#quote(element, kind);
  }

  #quote(element: TreeElement, kind?: string): boolean {
    this.#writer.block();
    if (!this.#writer.enter({ first: '> ', rest: '> ' })) return true;
    if (kind !== undefined) this.#writer.lines([`[!${kind}]`]);
    this.#onLeave(element, () => {
      this.#writer.leave();
      this.#writer.block();
    });
    return true;
  }

  /** A term, or the summary of details: a paragraph of its own that stands out. */
  #term(element: TreeElement): boolean {
    this.#writer.block();
    const opened = this.#writer.openMark('strong');
    this.#onLeave(element, () => {
      if (opened) this.#writer.closeMark();
      this.#writer.block();
    });
    return true;
  }

  #table(element: TreeElement): boolean {
    const writer = this.#writer;
    writer.block();
    const table = writer.isOneLine ? undefined : dataTable(element);
    if (!table) return true;
    if (table.caption) {
      walk([table.caption], this);
      writer.block();
    }
    writer.lines(this.#tableLines(table), { ends: true });
    return false;
  }

  #tableLines({ rows, headerRows }: TableRows): string[] {
    const cellText = (cell: TreeElement): string =>
      isUnseen(cell) ? '' : write(cell.children, this.#resolve, { cell: true });
    const grid = layOut(rows, cellText, () => '');
    const columns = Math.max(...grid.map((row) => row.length));
    const header = headerRows > 0 ? (grid[0] ?? []) : [];
    const padded = [...header, ...Array.from({ length: columns - header.length }, () => '')];
    const ruler = `|${' --- |'.repeat(columns)}`;
    return [lineOf(padded), ruler, ...grid.slice(headerRows).map(lineOf)];
  }
}

const lineOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const maxNumber = 999_999_999;

function numberOf(text: string | undefined, otherwise: number): number {
  const number = Number.parseInt(text ?? '', 10);
  return number >= 0 && number <= maxNumber ? number : Math.min(otherwise, maxNumber);
}
