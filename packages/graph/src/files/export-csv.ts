import type { Writable } from 'node:stream';
import type { PageRecord } from '@webfarer/protocol';
import { writeOut } from './write-out.ts';

type Cell = string | number | boolean | undefined;

const columns: [string, (record: PageRecord) => Cell][] = [
  ['url', (r) => r.url],
  ['verdict', (r) => r.verdict],
  ['reason', (r) => r.reason],
  ['status', (r) => r.status],
  ['detail', (r) => r.detail],
  ['mime', (r) => r.mime],
  ['mime_detected', (r) => r.mimeDetected],
  ['charset', (r) => r.charset],
  ['language', (r) => r.language],
  ['title', (r) => r.title],
  ['bytes', (r) => r.bytes],
  ['truncated', (r) => r.truncated],
  ['depth', (r) => r.depth],
  ['kind', (r) => r.kind],
  ['label', (r) => r.label],
  ['method', (r) => r.request?.method],
  ['referrer', (r) => r.referrer],
  ['redirect_to', (r) => r.redirectTo],
  ['attempts', (r) => r.attempts],
  ['started_at', (r) => new Date(r.startedAtMs).toISOString()],
  ['duration_ms', (r) => Math.round(r.durationMs)],
  ['first_byte_ms', (r) => (r.firstByteMs === undefined ? undefined : Math.round(r.firstByteMs))],
  ['ip', (r) => r.ip],
  ['server', (r) => r.server],
  ['tls', (r) => r.tls],
  ['digest', (r) => r.digest],
  ['etag', (r) => r.etag],
  ['last_modified', (r) => r.lastModified],
  ['signals', (r) => r.signals?.join(' ')],
  ['looks_empty', (r) => r.looksEmpty],
  ['links', (r) => r.links],
  ['items', (r) => r.items],
  ['saved', (r) => r.saved?.map((at) => at.file).join(' ')],
];

/** Records as CSV (RFC 4180). Resolves with the number of records; the stream stays open. */
export async function exportCsv(records: AsyncIterable<PageRecord>, out: Writable): Promise<number> {
  return (await writeOut(lines(records), out)) - 1;
}

async function* lines(records: AsyncIterable<PageRecord>): AsyncGenerator<string> {
  yield csvLine(columns.map(([name]) => name));
  for await (const record of records) yield csvLine(columns.map(([, value]) => value(record)));
}

export function csvLine(cells: Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** Spreadsheets run text that begins like a formula: an apostrophe in front makes it text again. */
const formula = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;

function csvCell(cell: Cell): string {
  if (cell === undefined) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = cell.replaceAll('\0', '');
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
