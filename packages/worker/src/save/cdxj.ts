import { basename } from 'node:path';
import { type PageRecord, surt } from '@webfarer/protocol';
import { type SortOptions, writeSortedLines } from './sorted-lines.ts';

/**
 * The index of an archive, made from committed records only: it lists exactly what the crawl stands for,
 * though the files may also hold captures whose outcome a crash took away.
 */
export async function writeCdxj(
  records: AsyncIterable<PageRecord>,
  file: string,
  options: SortOptions = {},
): Promise<{ lines: number }> {
  return writeSortedLines(linesOf(records), file, options);
}

async function* linesOf(records: AsyncIterable<PageRecord>): AsyncGenerator<string> {
  for await (const record of records) {
    const line = cdxjLine(record);
    if (line !== undefined) yield line;
  }
}

/** `org,example)/ 20250102030405 {"url": …}`; undefined when the record has no capture in a WARC file. */
export function cdxjLine(record: PageRecord): string | undefined {
  const at = record.saved?.find((saved) => saved.saver === 'warc');
  if (at?.offset === undefined || at.length === undefined) return undefined;
  const stamp = new Date(record.startedAtMs).toISOString().replace(/\D/g, '').slice(0, 14);
  // Numbers as text: some replay tools compare them as text and fail on anything else.
  const fields = {
    url: record.url,
    mime: record.mime || 'unk',
    ...(record.status !== undefined && { status: String(record.status) }),
    ...(record.digest !== undefined && { digest: record.digest }),
    length: String(at.length),
    offset: String(at.offset),
    filename: basename(at.file),
  };
  return ascii(`${surt(record.url)} ${stamp} ${JSON.stringify(fields)}`);
}

/** Byte order and string order are the same in ASCII, and no reader has to guess a charset. */
function ascii(text: string): string {
  return text.replace(/[\u0080-\uffff\u007f]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
