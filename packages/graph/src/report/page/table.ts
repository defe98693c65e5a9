import type { Budget } from '../markup/budget.ts';
import { firstRows } from '../browser/first-rows.ts';
import { type Html, html } from '../markup/html.ts';
import { count } from '../markup/format.ts';

export interface Column<T> {
  head: string;
  cell: (row: T) => Html;
  /** What the column is sorted by; the address of its first link or its text when absent. */
  sortBy?: (row: T) => string | number;
  /** What "Copy CSV" takes; what it is sorted by when absent. */
  csv?: (row: T) => string | number | undefined;
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

/** Of what is left for the page, what one table may take. */
const share = 0.3;
/** A table shorter than this needs no filter. */
const filterFrom = 6;

/** A section with one table that can be sorted, filtered and copied. */
export function tableSection<T>(section: TableSection<T>, budget: Budget): Html {
  const { id, title, lead, rows, total, columns } = section;
  const name = html`<h2>${title}<span class="n">${count(section.figure ?? total)}</span></h2>`;
  if (rows.length === 0)
    return html`<section id="${id}">${name}<p class="none">${section.whenEmpty}</p></section>\n`;
  const filter = html`<input type="search" placeholder="Filter" aria-label="Filter ${title}"${
    rows.length < filterFrom ? html` hidden` : undefined
  }>`;
  const kept = budget.take(rendered(columns, rows), share);
  return html`<section id="${id}" data-table>
${name}
<p class="lead">${lead}</p>
<div class="tools">${filter}<span class="shown" role="status"></span><button type="button" class="csv" aria-label="Copy CSV: ${title}">Copy CSV</button></div>
<div class="scroll" role="region" aria-label="${title}" tabindex="0">${table(section, kept)}</div>
${more(section, kept.length)}</section>
`;
}

function more<T>({ total, restIn = 'results.jsonl' }: TableSection<T>, shown: number): Html | undefined {
  const left = total - shown;
  if (left <= 0 && shown <= firstRows) return undefined;
  const words = left > 0 ? `${count(shown)} of ${count(total)} shown; the rest is in ${restIn}.` : undefined;
  return html`<p class="more"><button type="button" class="all" hidden>Show all</button>${words}</p>\n`;
}

function* rendered<T>(columns: Column<T>[], rows: T[]): Generator<Html> {
  for (const row of rows) yield html`<tr>${columns.map((column) => cell(column, row))}</tr>\n`;
}

function table<T>({ title, columns }: TableSection<T>, body: Html[]): Html {
  const head = columns.map(
    (column) => html`<th scope="col" class="${column.kind ?? ''}">${column.head}</th>`,
  );
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
