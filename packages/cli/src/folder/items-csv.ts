import type { Writable } from 'node:stream';
import { csvLine } from '@webfarer/graph/files/export-csv';
import { writePiece, writeWhole } from '@webfarer/protocol/node';
import type { FolderReader, ItemChange } from '../crawl/local-port.ts';

type ItemSource = Pick<FolderReader, 'crawl' | 'results' | 'itemChanges'>;

export interface ItemsFormat {
  format: 'csv' | 'jsonl';
  /** In a recrawl: only items with these marks, each with its mark and its page. Absent: all items, as they are. */
  marks?: ReadonlySet<ItemChange['change']>;
}

/** Beside the columns of the items, which may have any name. */
const markColumns = ['_change', '_page'];

/** Writes the items of a crawl and answers how many. The stream stays open. */
export async function exportItems(
  reader: ItemSource,
  out: Writable,
  { format, marks }: ItemsFormat,
): Promise<number> {
  const rows = () => rowsOf(reader, marks);
  const columns = format === 'csv' ? await columnsOf(rows()) : [];
  if (columns.length > 0) await writePiece(out, csvLine([...(marks ? markColumns : []), ...columns]));
  let items = 0;
  for await (const { item, mark } of rows()) {
    items++;
    const line = format === 'csv' ? itemLine(item, columns, mark) : `${JSON.stringify(mark ?? item)}\n`;
    await writePiece(out, line);
  }
  return items;
}

interface ItemRow {
  item: unknown;
  mark?: ItemChange;
}

async function* rowsOf(
  reader: ItemSource,
  marks: ReadonlySet<ItemChange['change']> | undefined,
): AsyncGenerator<ItemRow> {
  if (!marks) return yield* reader.results.items(reader.crawl);
  for await (const mark of reader.itemChanges()) if (marks.has(mark.change)) yield { item: mark.item, mark };
}

/** The same into a file, which appears whole or not at all. */
export async function writeItemsCsv(reader: ItemSource, path: string): Promise<void> {
  await writeWhole(path, (out) => exportItems(reader, out, { format: 'csv' }));
}

/** Of all items, in the order in which they were met first: a table in which rare fields are missing looks complete. */
async function columnsOf(rows: AsyncIterable<ItemRow>): Promise<string[]> {
  const columns = new Set<string>();
  for await (const { item } of rows)
    for (const name of isFields(item) ? Object.keys(item) : ['value']) columns.add(name);
  return [...columns];
}

function itemLine(item: unknown, columns: readonly string[], mark: ItemChange | undefined): string {
  const fields: Record<string, unknown> = isFields(item) ? item : { value: item };
  const own = columns.map((name) => cell(fields[name]));
  return csvLine(mark ? [mark.change, mark.page, ...own] : own);
}

/** Lists and objects stand in their cell as JSON. */
function cell(value: unknown): string | number | boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return JSON.stringify(value);
}

function isFields(item: unknown): item is Record<string, unknown> {
  return typeof item === 'object' && item !== null && !Array.isArray(item);
}
