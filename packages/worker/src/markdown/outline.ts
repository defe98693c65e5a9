import type { TreeElement, TreeNode } from '../tree/tree.ts';
import { headingLevel, isUnseen } from './elements.ts';
import { dataTable, layOut } from './table-grid.ts';
import { textOf } from './to-text.ts';
import { walk } from './walk.ts';

/** A heading of a page, h1 to h6. */
export interface Heading {
  /** 1 to 6. */
  level: number;
  text: string;
  /** What `#id` in a link names. */
  id: string | undefined;
}

/** A table of data. A cell that spans several places has its text at each of them. */
export interface PageTable {
  caption: string | undefined;
  /** The names of the columns; empty where the table names none. */
  header: string[];
  rows: string[][];
}

/** The headings of a page in their order; those without text are left out. */
export function headingsOf(nodes: readonly TreeNode[]): Heading[] {
  const found: Heading[] = [];
  visit(nodes, (element) => {
    const level = headingLevel(element.name);
    if (level === 0) return true;
    const text = textOf(element);
    if (text !== '') found.push({ level, text, id: element.attribs.id });
    return false;
  });
  return found;
}

/** The tables of a page that hold data; those that arrange it are left out. */
export function tablesOf(nodes: readonly TreeNode[]): PageTable[] {
  const found: PageTable[] = [];
  visit(nodes, (element) => {
    const table = element.name === 'table' ? dataTable(element) : undefined;
    if (!table) return true;
    const cellText = (cell: TreeElement): string => (isUnseen(cell) ? '' : textOf(cell));
    const grid = layOut(table.rows, cellText, (text) => text);
    found.push({
      caption: table.caption && textOf(table.caption),
      header: table.headerRows > 0 ? (grid[0] ?? []) : [],
      rows: grid.slice(table.headerRows),
    });
    return false;
  });
  return found;
}

function visit(nodes: readonly TreeNode[], enter: (element: TreeElement) => boolean): void {
  walk(nodes, {
    enter: (element) => !isUnseen(element) && enter(element),
    leave() {},
    text() {},
  });
}
