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

export interface ExportOptions {
  format: ExportFormat;
  fetchPage(after: string, signal: AbortSignal): Promise<ListAnswer>;
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

/** Writes the list page by page. What is cut says so in the file itself, in its last line. */
export async function exportUrls(options: ExportOptions): Promise<Exported> {
  const { format, fetchPage, signal, write, tell, mostRows = 1_000_000 } = options;
  let [rows, searched] = [0, 0];
  let cut: Exported['cut'];
  if (format === 'csv') write(`${columns.join(',')}\r\n`);
  try {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const answer: ListAnswer = await fetchPage(after, signal);
      signal.throwIfAborted();
      const items = answer.items.slice(0, mostRows - rows);
      if (items.length > 0) write(items.map(format === 'csv' ? csvLine : jsonLine).join(''));
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

function jsonLine(url: ShownUrl): string {
  return `${JSON.stringify(url)}\n`;
}

function csvLine({ startedAtMs, ...url }: ShownUrl): string {
  const startedAt = startedAtMs === undefined ? undefined : new Date(startedAtMs).toISOString();
  const cells = { ...url, startedAt };
  return `${columns.map((column) => csvCell(cells[column])).join(',')}\r\n`;
}

/** Text of sites that a spreadsheet would take for a formula is written as text. */
function csvCell(value: string | number | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
