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
  /** Said instead of a table without rows. */
  whenEmpty: string;
  /** Where the rows that are left out can be found. */
  restIn?: string;
}

/** A section with one table that can be sorted, filtered and copied. */
export function tableSection<T>(section: TableSection<T>): Html {
  const { id, title, lead, rows, total } = section;
  if (rows.length === 0) {
    return html`<section id="${id}"><h2>${title}<span class="n">0</span></h2><p class="none">${section.whenEmpty}</p></section>
`;
  }
  const left = total - rows.length;
  return html`<section id="${id}" data-table>
<h2>${title}<span class="n">${count(total)}</span></h2>
<p class="lead">${lead}</p>
<div class="tools"><input type="search" placeholder="Filter" aria-label="Filter ${title}"><span class="shown" role="status"></span><button type="button" class="csv">Copy CSV</button></div>
<div class="scroll" role="region" aria-label="${title}" tabindex="0">${table(section)}</div>
<p class="more"><button type="button" class="all" hidden>Show all</button>${
    left > 0
      ? html`${count(left)} more are not shown here: see ${section.restIn ?? 'results.jsonl'}.`
      : undefined
  }</p>
</section>
`;
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
