import type { Url } from '@webfarer/protocol';
import { hostNamedIn } from '@webfarer/protocol/url';
import type { OpenBytes } from '../bytes/byte-source.ts';
import { peekHttp } from '../warc/list-warc.ts';
import { readWarc, type WarcRecord } from '../warc/warc-reader.ts';
import { captureLine } from './cdxj.ts';

const indexed = new Set(['response', 'revisit', 'resource']);

/** What else is learnt of a WARC file while it is indexed. */
export interface WarcFacts {
  records: number;
  /** Every host that a record is about, refers to, or was found on. */
  hosts: Set<string>;
}

/** The index of one WARC file, made from the file alone: every capture in it, also one whose outcome a crash took away. */
export async function* warcIndexLines(
  from: OpenBytes,
  file: string,
  facts: WarcFacts,
): AsyncGenerator<string> {
  for await (const record of readWarc(from)) {
    facts.records += 1;
    for await (const url of urlsNamedBy(record)) {
      const host = hostNamedIn(url);
      if (host !== undefined) facts.hosts.add(host);
    }
    const line = indexed.has(record.type) ? await lineOf(record, file) : undefined;
    if (line !== undefined) yield line;
  }
}

/** All that makes a record one of a host, or one that names it: what erasing looks at. */
async function* urlsNamedBy(record: WarcRecord): AsyncGenerator<string> {
  for (const name of ['warc-target-uri', 'warc-refers-to-target-uri']) yield record.field(name) ?? '';
  if (record.type !== 'metadata') return;
  const block: Buffer[] = [];
  for await (const piece of record.block()) block.push(piece);
  for (const [, url = ''] of Buffer.concat(block)
    .toString('utf8')
    .matchAll(/^via: (.*?)\r?$/gm))
    yield url;
}

async function lineOf(record: WarcRecord, file: string): Promise<string | undefined> {
  const url = record.field('warc-target-uri');
  const http = record.type === 'resource' ? {} : await peekHttp(record);
  const place = { file, offset: record.offset, length: await record.finish() };
  if (url === undefined) return undefined;
  const mime = {
    revisit: 'warc/revisit',
    resource: record.field('content-type'),
    response: http.mime,
  }[record.type];
  return captureLine({
    // As the archive has it: it was normalised before it was requested.
    url: url as Url,
    startedAtMs: Date.parse(record.field('warc-date') ?? ''),
    mime,
    status: record.type === 'resource' ? 200 : http.status,
    digest: record.field('warc-payload-digest'),
    place,
  });
}
