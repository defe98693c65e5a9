import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { csvLine } from '@webfarer/graph';
import { renameDurably } from '@webfarer/protocol/node';
import type { FolderReader } from '../crawl/local-port.ts';

type ItemSource = Pick<FolderReader, 'crawl' | 'results'>;

/** Fields are looked for in this many items; rarer ones appear in the JSON lines only. */
const sampleSize = 1000;

/** Writes the items of a crawl and answers how many. The stream stays open. */
export async function exportItems(
  reader: ItemSource,
  out: Writable,
  format: 'csv' | 'jsonl',
): Promise<number> {
  const columns = format === 'csv' ? await columnsOf(reader) : [];
  if (columns.length > 0) out.write(csvLine(columns));
  let items = 0;
  for await (const { item } of reader.results.items(reader.crawl)) {
    items++;
    const line = format === 'csv' ? itemLine(item, columns) : `${JSON.stringify(item)}\n`;
    if (!out.write(line)) await once(out, 'drain');
  }
  return items;
}

/** The same into a file, which appears whole or not at all. */
export async function writeItemsCsv(reader: ItemSource, path: string): Promise<void> {
  const stream = createWriteStream(`${path}.new`);
  await exportItems(reader, stream, 'csv');
  await finished(stream.end());
  await renameDurably(`${path}.new`, path);
}

async function columnsOf(reader: ItemSource): Promise<string[]> {
  const columns = new Set<string>();
  let seen = 0;
  for await (const { item } of reader.results.items(reader.crawl)) {
    for (const name of isFields(item) ? Object.keys(item) : ['value']) columns.add(name);
    if (++seen === sampleSize) break;
  }
  return [...columns];
}

function itemLine(item: unknown, columns: readonly string[]): string {
  const fields: Record<string, unknown> = isFields(item) ? item : { value: item };
  return csvLine(columns.map((name) => cell(fields[name])));
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
