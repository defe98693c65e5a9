import type { PageRecord } from '@webfarer/protocol';
import type { Cell, ColumnType, Table, TableColumn } from './column.ts';

const column = (
  name: string,
  type: ColumnType,
  value: (record: PageRecord) => Cell,
): TableColumn<PageRecord> => ({
  name,
  type,
  value,
});
const whole = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : Math.round(ms));

const columns: TableColumn<PageRecord>[] = [
  { ...column('url', 'string', (r) => r.url), required: true },
  { ...column('verdict', 'string', (r) => r.verdict), required: true },
  { ...column('reason', 'string', (r) => r.reason), required: true },
  column('status', 'int16', (r) => r.status),
  column('detail', 'string', (r) => r.detail),
  column('kind', 'string', (r) => r.kind),
  column('depth', 'int32', (r) => r.depth),
  column('label', 'string', (r) => r.label),
  column('referrer', 'string', (r) => r.referrer),
  column('redirect_to', 'string', (r) => r.redirectTo),
  column('attempts', 'int32', (r) => r.attempts),
  column('mime', 'string', (r) => r.mime),
  column('mime_detected', 'string', (r) => r.mimeDetected ?? r.mime),
  column('charset', 'string', (r) => r.charset),
  column('language', 'string', (r) => r.language),
  column('title', 'string', (r) => r.title),
  column('bytes', 'int64', (r) => r.bytes),
  column('truncated', 'string', (r) => r.truncated),
  column('started_at', 'timestamp', (r) => whole(r.startedAtMs)),
  column('duration_ms', 'int32', (r) => whole(r.durationMs)),
  column('first_byte_ms', 'int32', (r) => whole(r.firstByteMs)),
  column('ip', 'string', (r) => r.ip),
  column('server', 'string', (r) => r.server),
  column('tls', 'string', (r) => r.tls),
  column('digest', 'string', (r) => r.digest),
  column('signals', 'string', (r) => r.signals?.join(' ')),
  column('looks_empty', 'boolean', (r) => r.looksEmpty ?? false),
  column('change', 'string', (r) => r.change),
  column('links', 'int32', (r) => r.links),
  column('items', 'int32', (r) => r.items),
];

/** One row for every URL that was settled, whatever became of it. */
export function pageTable(records: AsyncIterable<PageRecord>): Table<PageRecord> {
  return { name: 'pages', columns, rows: records };
}
