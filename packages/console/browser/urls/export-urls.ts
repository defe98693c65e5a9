import type { ShownUrl } from '@webfarer/protocol/api';
import type { ListAnswer } from './url-list.ts';

export const exportFormats = ['csv', 'jsonl'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface Exported {
  rows: number;
  searched: number;
  /** Why it is not all; undefined: it is. */
  cut: 'canceled' | 'error' | 'full' | undefined;
}

export interface ExportOptions<Row = ShownUrl> {
  format: ExportFormat;
  fetchPage(after: string, signal: AbortSignal): Promise<ListAnswer<Row>>;
  signal: AbortSignal;
  /** Takes a piece of the file; nothing of it is kept here. */
  write(text: string): void;
  tell(so: Omit<Exported, 'cut'>): void;
  mostRows?: number;
}

const columns = [
  'url',
  'method',
  'state',
  'reason',
  'detail',
  'status',
  'bytes',
  'depth',
  'attempts',
  'kind',
  'label',
  'referrer',
  'startedAt',
] as const;

/** How rows of a kind become cells; in JSON lines they stand as they are. */
export interface CsvRows<Row> {
  head: readonly string[];
  cells(row: Row): readonly CsvValue[];
}
type CsvValue = string | number | undefined;

export const exportUrls = (options: ExportOptions): Promise<Exported> =>
  exportRows(options, {
    head: columns,
    cells({ startedAtMs, ...url }) {
      const startedAt = startedAtMs === undefined ? undefined : new Date(startedAtMs).toISOString();
      const cells = { ...url, startedAt };
      return columns.map((column) => cells[column]);
    },
  });

/** Writes the list page by page. What is cut says so in the file itself, in its last line. */
export async function exportRows<Row>(options: ExportOptions<Row>, csv: CsvRows<Row>): Promise<Exported> {
  const { format, fetchPage, signal, write, tell, mostRows = 1_000_000 } = options;
  const csvLine = (cells: readonly CsvValue[]): string => `${cells.map(csvCell).join(',')}\r\n`;
  const line = (row: Row): string =>
    format === 'csv' ? csvLine(csv.cells(row)) : `${JSON.stringify(row)}\n`;
  let [rows, searched] = [0, 0];
  let cut: Exported['cut'];
  if (format === 'csv') write(csvLine(csv.head));
  try {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const answer: ListAnswer<Row> = await fetchPage(after, signal);
      signal.throwIfAborted();
      const items = answer.items.slice(0, mostRows - rows);
      if (items.length > 0) write(items.map(line).join(''));
      rows += items.length;
      searched += answer.searched;
      tell({ rows, searched });
      after = answer.next;
      if (items.length < answer.items.length || (rows >= mostRows && after !== undefined)) {
        cut = 'full';
        break;
      }
    }
  } catch {
    cut = signal.aborted ? 'canceled' : 'error';
  }
  if (cut !== undefined) {
    const note = `incomplete (${cut}): ends after ${rows} rows`;
    write(format === 'csv' ? `# ${note}\r\n` : `${JSON.stringify({ incomplete: true, note })}\n`);
  }
  return { rows, searched, cut };
}

/** Text of sites that a spreadsheet would take for a formula is written as text. */
function csvCell(value: CsvValue): string {
  if (value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
