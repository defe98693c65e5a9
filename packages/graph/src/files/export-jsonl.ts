import type { Writable } from 'node:stream';
import type { PageRecord } from '@webfarer/protocol';
import { writeOut } from './write-out.ts';

/** One record a line, as it is stored. Resolves with the number of records; the stream stays open. */
export function exportJsonl(records: AsyncIterable<PageRecord>, out: Writable): Promise<number> {
  return writeOut(lines(records), out);
}

async function* lines(records: AsyncIterable<PageRecord>): AsyncGenerator<string> {
  for await (const record of records) yield `${JSON.stringify(record)}\n`;
}
