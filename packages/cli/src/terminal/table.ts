import {
  clean,
  displayWidth,
  padEnd,
  padStart,
  type Paint,
  type Style,
  truncate,
  truncateMiddle,
} from './text.ts';

export interface Column<Row> {
  title: string;
  value: (row: Row) => string;
  right?: boolean;
  /** Takes the room that is left; several share it. */
  wide?: boolean;
  /** Where it is cut when there is no room: text at its end, addresses in the middle. */
  cut?: 'end' | 'middle';
  /** Never narrower, so that a table that is redrawn does not jump. */
  least?: number;
  style?: (row: Row) => Style;
}

/** A table that fits the terminal: narrow columns as wide as they need, wide ones cut in the middle. */
export function tableLines<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  size: { columns: number; paint: Paint },
): string[] {
  const cells = rows.map((row) => columns.map((column) => clean(column.value(row))));
  const natural = columns.map((column, i) =>
    Math.max(
      column.least ?? 0,
      displayWidth(column.title),
      ...cells.map((line) => displayWidth(line[i] ?? '')),
    ),
  );
  const widths = shareRoom(natural, columns, size.columns - 2 - 2 * (columns.length - 1));
  const line = (values: readonly string[], row?: Row) => {
    const parts = values.map((value, i) => {
      const text = cell(value, widths[i] ?? 0, columns[i]);
      const style = row === undefined ? undefined : columns[i]?.style?.(row);
      return style === undefined ? text : size.paint(style, text);
    });
    return `  ${parts.join('  ')}`.trimEnd();
  };
  const head = size.paint('quiet', line(columns.map((column) => column.title)));
  return [head, ...cells.map((values, i) => line(values, rows[i]))];
}

function cell<Row>(text: string, width: number, column: Column<Row> | undefined): string {
  const cut = column?.cut === 'end' ? truncate(text, width) : truncateMiddle(text, width);
  return column?.right ? padStart(cut, width) : padEnd(cut, width);
}

const narrowestWide = 12;

function shareRoom<Row>(natural: readonly number[], columns: readonly Column<Row>[], room: number): number[] {
  const fixed = natural.reduce((sum, width, i) => (columns[i]?.wide ? sum : sum + width), 0);
  const wide = natural.filter((_, i) => columns[i]?.wide);
  let left = Math.max(narrowestWide * wide.length, room - fixed);
  let sharers = wide.length;
  const widths = [...natural];
  // The modest first: what they do not need goes to the others.
  const order = natural.map((_, i) => i).filter((i) => columns[i]?.wide);
  for (const i of order.toSorted((a, b) => (natural[a] ?? 0) - (natural[b] ?? 0))) {
    widths[i] = Math.min(natural[i] ?? 0, Math.floor(left / sharers));
    left -= widths[i] ?? 0;
    sharers--;
  }
  return widths;
}
