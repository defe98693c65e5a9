import { isElement, isText, type TreeElement, type TreeNode } from '../tree/tree.ts';
import { headingLevel, isUnseen } from './elements.ts';

export interface TableRows {
  caption: TreeElement | undefined;
  rows: TreeElement[][];
  /** How many of the first rows name the columns: 0 or 1. */
  headerRows: 0 | 1;
}

const sections = new Set(['thead', 'tbody', 'tfoot']);
/** What stands in tables that arrange a page, not in tables of data. */
const arranged = new Set(['ul', 'ol', 'dl', 'hr', 'pre', 'blockquote', 'form', 'article', 'section', 'nav']);

/**
 * The cells of a table of data; undefined for one that arranges a page or is not built as a table. One with a caption
 * or header cells is data; else it needs two rows, two columns and cells without headings, lists or the like.
 */
export function dataTable(table: TreeElement): TableRows | undefined {
  const role = table.attribs.role;
  if (role === 'presentation' || role === 'none') return undefined;
  const look = lookInto(table);
  if (look === 'nested') return undefined;
  const found = rowsOf(table);
  if (!found || found.rows.length === 0) return undefined;
  const [first = []] = found.rows;
  const named = found.caption !== undefined || found.rows.some((row) => row.some(isHeader));
  const isGrid = found.rows.length > 1 && found.rows.some((row) => row.length > 1);
  if (!named && !(isGrid && look === 'plain')) return undefined;
  const hasHeader = found.rows.length > 1 && (found.headed || first.every(isHeader));
  return { caption: found.caption, rows: found.rows, headerRows: hasHeader ? 1 : 0 };
}

const isHeader = ({ name }: TreeElement): boolean => name === 'th';

/** Stops at the first table inside, so that tables in tables in tables are not read again for each of them. */
function lookInto(table: TreeElement): 'plain' | 'arranged' | 'nested' {
  let look: 'plain' | 'arranged' = 'plain';
  let node: TreeNode | null = table.children[0] ?? null;
  while (node && node !== table) {
    if (isElement(node)) {
      if (node.name === 'table') return 'nested';
      if (arranged.has(node.name) || headingLevel(node.name) > 0) look = 'arranged';
      if (node.children[0]) {
        node = node.children[0];
        continue;
      }
    }
    while (node && node !== table && !node.next) node = node.parent as TreeNode | null;
    if (node && node !== table) node = node.next as TreeNode | null;
  }
  return look;
}

interface FoundRows extends Pick<TableRows, 'caption' | 'rows'> {
  /** The first row stands in `thead`. */
  headed: boolean;
}

/** Undefined where text or an element stands where a table has none: nothing of it shall be lost. */
function rowsOf(table: TreeElement): FoundRows | undefined {
  const found: FoundRows = { caption: undefined, rows: [], headed: false };
  for (const node of table.children) {
    if (isBlank(node)) continue;
    if (!isElement(node)) return undefined;
    if (node.name === 'caption') found.caption ??= node;
    else if (node.name === 'tr') {
      if (!addRow(node, found)) return undefined;
    } else if (sections.has(node.name)) {
      for (const row of node.children) {
        if (isBlank(row)) continue;
        if (!isElement(row) || row.name !== 'tr') return undefined;
        const isFirst = found.rows.length === 0;
        if (!addRow(row, found)) return undefined;
        if (isFirst && node.name === 'thead') found.headed = true;
      }
    } else if (node.name !== 'colgroup' && node.name !== 'col') return undefined;
  }
  return found;
}

function addRow(row: TreeElement, found: FoundRows): boolean {
  const cells: TreeElement[] = [];
  for (const node of row.children) {
    if (isBlank(node)) continue;
    if (!isElement(node) || (node.name !== 'td' && node.name !== 'th')) return false;
    cells.push(node);
  }
  if (cells.length > 0) found.rows.push(cells);
  return true;
}

const isBlank = (node: TreeNode): boolean =>
  isText(node) ? node.data.trim() === '' : !isElement(node) || isUnseen(node);

/** Of one cell; the standard allows 1,000 columns. */
const maxSpan = 100;
/** Places that cells may cover beyond their own, so that a few spans do not become a huge table. */
const maxExtra = 20_000;

/**
 * Rows of equal columns: a cell that spans several has its text at its first place and `covered(text)` at each other.
 */
export function layOut(
  rows: readonly TreeElement[][],
  textOf: (cell: TreeElement) => string,
  covered: (text: string) => string,
): string[][] {
  let extra = maxExtra;
  /** What cells of rows above cover: by column, the text and for how many more rows. */
  const above = new Map<number, { text: string; rows: number }>();
  return rows.map((cells) => {
    const line: string[] = [];
    const fill = (): void => {
      for (let over = above.get(line.length); over; over = above.get(line.length)) {
        if (over.rows === 1) above.delete(line.length);
        else over.rows -= 1;
        line.push(covered(over.text));
      }
    };
    for (const cell of cells) {
      fill();
      const text = textOf(cell);
      const span = { columns: spanOf(cell, 'colspan'), rows: spanOf(cell, 'rowspan') };
      const places = span.columns * span.rows - 1;
      extra -= places;
      if (extra < 0) span.columns = span.rows = 1;
      for (let column = 0; column < span.columns; column += 1) {
        if (span.rows > 1) above.set(line.length, { text, rows: span.rows - 1 });
        line.push(column === 0 ? text : covered(text));
      }
    }
    fill();
    return line;
  });
}

function spanOf({ attribs }: TreeElement, name: 'colspan' | 'rowspan'): number {
  const span = Number.parseInt(attribs[name] ?? '', 10);
  return span > 1 ? Math.min(span, maxSpan) : 1;
}
