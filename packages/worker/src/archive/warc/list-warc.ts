import { WebfarerError } from '@webfarer/protocol';
import type { OpenBytes } from '../bytes/byte-source.ts';
import { decodeBody } from '../../bytes/decode.ts';
import { readWarc, type WarcRecord } from './warc-reader.ts';

export interface WarcListing {
  offset: number;
  length: number;
  type: string;
  date: string;
  url?: string;
  /** Of the HTTP message in it. */
  status?: number;
  mime?: string;
  /** Of the block. */
  bytes: number;
}

const maxPeekBytes = 64 * 1024;
const answers = new Set(['response', 'revisit']);

/** One line for each record of a WARC file, or of one that lies inside another file, such as a WACZ. */
export async function* listWarc(
  file: OpenBytes,
  { from = 0, to }: { from?: number; to?: number } = {},
): AsyncGenerator<WarcListing> {
  for await (const record of readWarc(file, { from, ...(to === undefined ? {} : { to }) })) {
    const { status, mime } = answers.has(record.type) ? await peekHttp(record) : {};
    const length = await record.finish();
    const url = record.field('warc-target-uri');
    yield {
      offset: record.offset - from,
      length,
      type: record.type,
      date: record.field('warc-date') ?? '',
      ...(url !== undefined && { url }),
      ...(status !== undefined && { status }),
      ...(mime !== undefined && { mime }),
      bytes: record.contentLength,
    };
  }
}

/** What the head of the HTTP message in a record says. */
export async function peekHttp(record: WarcRecord): Promise<{ status?: number; mime?: string }> {
  let head = '';
  for await (const piece of record.block()) {
    head += piece.toString('latin1', 0, maxPeekBytes);
    if (head.includes('\r\n\r\n') || head.length > maxPeekBytes) break;
  }
  const [, status] = /^HTTP\/[\d.]+ (\d{3})/.exec(head) ?? [];
  const mime = httpFields(head, 'content-type')[0]?.split(';')[0]?.trim().toLowerCase();
  return { ...(status && { status: Number(status) }), ...(mime && { mime }) };
}

function httpFields(head: string, name: string): string[] {
  const end = head.indexOf('\r\n\r\n');
  const lines = head.slice(0, end < 0 ? undefined : end).split('\r\n');
  return lines
    .filter((line) => line.toLowerCase().startsWith(`${name}:`))
    .map((line) => line.slice(name.length + 1).trim());
}

export interface CatWarcOptions {
  file: OpenBytes;
  /** How messages name it; a path is its own name. */
  name?: string;
  /** Which record: the one at this offset, or else the first response for `url`. */
  offset?: number;
  /** Of that record: no more than this is read. */
  length?: number;
  url?: string;
  /** `record`: head and block. `block`: without the WARC head. `payload`: without the HTTP head either, as sent. `body`: decoded. */
  part?: 'record' | 'block' | 'payload' | 'body';
  /** Of a payload as it was sent, and of a body after decoding: the rest is left out. */
  maxBytes?: number;
}

/** The bytes of one record. */
export async function* catWarc(options: CatWarcOptions): AsyncGenerator<Buffer> {
  const record = await findRecord(options);
  try {
    const { part = 'body' } = options;
    if (part === 'record') yield headBytes(record.value);
    if (part === 'record' || part === 'block') yield* record.value.block();
    else
      yield* payload(record.value, {
        decode: part === 'body',
        maxBytes: options.maxBytes ?? maxDecodedBytes,
      });
  } finally {
    await record.close();
  }
}

async function findRecord(
  options: CatWarcOptions,
): Promise<{ value: WarcRecord; close: () => Promise<unknown> }> {
  const { file, offset, url, name = typeof file === 'string' ? file : 'the archive' } = options;
  const to = offset === undefined || options.length === undefined ? {} : { to: offset + options.length };
  const records = readWarc(file, offset === undefined ? {} : { from: offset, ...to });
  const close = () => records.return(undefined);
  for (;;) {
    const { done, value } = await records.next();
    if (done) break;
    if (offset !== undefined) return { value, close };
    const holds = value.type === 'response' || value.type === 'resource';
    if (holds && (url === undefined || value.field('warc-target-uri') === url)) return { value, close };
  }
  throw new WebfarerError(
    'not-found',
    `${name} holds no ${url === undefined ? 'response' : `response for ${url}`}`,
    {
      next: `webfarer warc ls ${name}`,
    },
  );
}

function headBytes(record: WarcRecord): Buffer {
  const lines = record.fields.map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${record.version}\r\n${lines.join('')}\r\n`);
}

async function* payload(
  record: WarcRecord,
  { decode, maxBytes }: { decode: boolean; maxBytes: number },
): AsyncGenerator<Buffer> {
  const pieces: Buffer[] = [];
  let read = 0;
  for await (const piece of record.block()) {
    pieces.push(piece);
    read += piece.length;
    if (read > maxBytes + maxPeekBytes) break;
  }
  const block = Buffer.concat(pieces);
  const isHttp = /^application\/http\b/i.test(record.field('content-type') ?? '');
  const end = isHttp ? block.indexOf('\r\n\r\n') : -1;
  const body = end < 0 ? block : block.subarray(end + 4);
  const encoding = end < 0 ? '' : httpFields(block.toString('latin1', 0, end), 'content-encoding').join();
  yield decode && encoding ? await decoded(body, encoding, maxBytes) : body.subarray(0, maxBytes);
}

const maxDecodedBytes = 1024 * 1024 * 1024;

/** What cannot be undone comes as it is. */
async function decoded(body: Buffer, encoding: string, maxBytes: number): Promise<Buffer> {
  const answer = await decodeBody(body, encoding, { maxBytes });
  return answer.ok ? answer.body : body.subarray(0, maxBytes);
}
