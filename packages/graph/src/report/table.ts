import { type Html, html } from './html.ts';
import { count } from './format.ts';

export interface Column<T> {
  head: string;
  cell: (row: T) => Html;
  /** What the column is sorted by; the text of the cell when absent. */
  sortBy?: (row: T) => string | number;
  /** What "Copy CSV" takes; the sort value or the text when absent. */
  csv?: (row: T) => string | number;
  kind?: 'num' | 'url' | 'tight';
}

export interface TableSection<T> {
  id: string;
  title: string;
  lead: Html;
  columns: Column<T>[];
  rows: T[];
  /** All there are, should there be more than are shown. */
  total: number;
  /** Beside the title, where it is not the number of rows. */
  figure?: number;
  /** Said instead of a table without rows. */
  whenEmpty: string;
  /** Where the rows that are left out can be found. */
  restIn?: string;
}

/** Rows shown before "Show all"; the script knows the same number. */
export const firstRows = 15;
/** A table shorter than this needs no filter. */
const filterFrom = 6;

/** A section with one table that can be sorted, filtered and copied. */
export function tableSection<T>(section: TableSection<T>): Html {
  const { id, title, lead, rows, total } = section;
  const name = html`<h2>${title}<span class="n">${count(section.figure ?? total)}</span></h2>`;
  if (rows.length === 0)
    return html`<section id="${id}">${name}<p class="none">${section.whenEmpty}</p></section>\n`;
  const filter = html`<input type="search" placeholder="Filter" aria-label="Filter ${title}"${
    rows.length < filterFrom ? html` hidden` : undefined
  }>`;
  return html`<section id="${id}" data-table>
${name}
<p class="lead">${lead}</p>
<div class="tools">${filter}<span class="shown" role="status"></span><button type="button" class="csv">Copy CSV</button></div>
<div class="scroll" role="region" aria-label="${title}" tabindex="0">${table(section)}</div>
${more(section)}</section>
`;
}

function more<T>({ rows, total, restIn = 'results.jsonl' }: TableSection<T>): Html | undefined {
  const left = total - rows.length;
  if (left <= 0 && rows.length <= firstRows) return undefined;
  const words = left > 0 ? `${count(left)} more are not shown here: see ${restIn}.` : undefined;
  return html`<p class="more"><button type="button" class="all" hidden>Show all</button>${words}</p>\n`;
}

function table<T>({ title, columns, rows }: TableSection<T>): Html {
  const head = columns.map(
    (column) => html`<th scope="col" class="${column.kind ?? ''}">${column.head}</th>`,
  );
  const body = rows.map((row) => html`<tr>${columns.map((column) => cell(column, row))}</tr>\n`);
  return html`<table><caption>${title}</caption><thead><tr>${head}</tr></thead><tbody>
${body}</tbody></table>`;
}

function cell<T>(column: Column<T>, row: T): Html {
  const sort = column.sortBy?.(row);
  const csv = column.csv?.(row);
  return html`<td${column.kind ? html` class="${column.kind}"` : undefined}${
    sort === undefined ? undefined : html` data-v="${sort}"`
  }${csv === undefined ? undefined : html` data-c="${csv}"`}>${column.cell(row)}</td>`;
}
