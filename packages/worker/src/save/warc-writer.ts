import { randomUUID } from 'node:crypto';
import { WebfarerError } from '@webfarer/protocol';
import { sha1Digest } from './digest.ts';
import { gzipMember, gzipMemberSync } from './gzip-member.ts';
import type { Capture } from './saver.ts';

/** WARC 1.1 (ISO 28500:2017) records as gzip members, ready to append. Knows nothing of files. */
const version = 'WARC/1.1';
const recordEnd = '\r\n\r\n';

/** Bodies of these types are compressed already. */
const packedTypes =
  /^(?:image\/(?!svg|bmp|x-ms-bmp)|video\/|audio\/(?!x-wav|wav|midi)|font\/woff|application\/(?:zip|gzip|x-gzip|x-7z|x-rar|x-bzip|x-xz|zstd|java-archive|epub|vnd\.openxml|vnd\.oasis))/;

export interface WarcMembers {
  response: Buffer[];
  responseLength: number;
  request: Buffer[];
}

/** One capture: a response record and the request that led to it. */
export async function captureMembers(capture: Capture): Promise<WarcMembers> {
  const { entry, page } = capture;
  const responseId = recordId();
  const date = new Date(page.startedAtMs).toISOString();
  const common: Field[] = [
    ['WARC-Target-URI', entry.url],
    ['WARC-Date', date],
    ['WARC-IP-Address', page.ip],
    ['WARC-Protocol', 'http/1.1'],
  ];
  const httpHead = responseHead(page);
  const head = recordHead([
    ['WARC-Type', 'response'],
    ['WARC-Record-ID', responseId],
    ...common,
    ['WARC-Payload-Digest', capture.digest],
    ['WARC-Block-Digest', sha1Digest(httpHead, page.body)],
    ['WARC-Truncated', page.truncated ?? (page.unread ? 'unspecified' : undefined)],
    ['Content-Type', 'application/http; msgtype=response'],
    ['Content-Length', String(httpHead.length + page.body.length)],
  ]);
  const response = await gzipMember({
    head: Buffer.concat([head, httpHead]),
    body: page.body,
    end: Buffer.from(recordEnd),
    packed: isPacked(capture),
  });
  return {
    response,
    responseLength: response.reduce((sum, part) => sum + part.length, 0),
    request: requestMember(capture, common, responseId),
  };
}

function requestMember(capture: Capture, common: Field[], responseId: string): Buffer[] {
  const block = headerBytes(capture.page.requestHead);
  const head = recordHead([
    ['WARC-Type', 'request'],
    ['WARC-Record-ID', recordId()],
    ...common,
    ['WARC-Concurrent-To', responseId],
    ['WARC-Block-Digest', sha1Digest(block)],
    ['Content-Type', 'application/http; msgtype=request'],
    ['Content-Length', String(block.length)],
  ]);
  return gzipMemberSync(Buffer.concat([head, block, Buffer.from(recordEnd)]));
}

export interface WarcInfo {
  fileName: string;
  dateMs: number;
  /** Lines of `application/warc-fields`: software, isPartOf, robots, ... */
  fields: [string, string][];
}

/** The record at the head of each file. */
export function warcinfoMember(info: WarcInfo): Buffer[] {
  // These are words a person wrote: fold what would break a line instead of refusing the crawl.
  const lines = info.fields.map(([name, value]) => `${fold(name)}: ${fold(value)}\r\n`);
  const block = Buffer.from(lines.join(''));
  const head = recordHead([
    ['WARC-Type', 'warcinfo'],
    ['WARC-Record-ID', recordId()],
    ['WARC-Date', new Date(info.dateMs).toISOString()],
    ['WARC-Filename', info.fileName],
    ['WARC-Block-Digest', sha1Digest(block)],
    ['Content-Type', 'application/warc-fields'],
    ['Content-Length', String(block.length)],
  ]);
  return gzipMemberSync(Buffer.concat([head, block, Buffer.from(recordEnd)]));
}

export type Field = [name: string, value: string | undefined];

/** The named fields of a record. A control byte in a value would start a field or record of its own. */
export function recordHead(fields: Field[]): Buffer {
  let text = `${version}\r\n`;
  for (const [name, value] of fields) {
    if (value === undefined) continue;
    if (/[\u0000-\u001f\u007f]/.test(value) || /[^!#-'*+.^_`|~0-9A-Za-z-]/.test(name)) {
      throw new WebfarerError('internal', `control characters in the WARC field ${JSON.stringify(name)}`);
    }
    text += `${name}: ${value}\r\n`;
  }
  return Buffer.from(`${text}\r\n`);
}

/**
 * The head as served, but for what described the transfer coding that is no longer there: those headers
 * are kept under an X-Crawler- name, so that no reader tries to undo chunks or trusts a wrong length.
 */
function responseHead(page: Capture['page']): Buffer {
  const coded = page.headers.some(([name]) => name.toLowerCase() === 'transfer-encoding');
  let text = `HTTP/1.1 ${page.status} ${foldLine(page.statusText)}\r\n`;
  for (const [name, value] of page.headers) {
    const moved = coded && /^(?:transfer-encoding|content-length)$/i.test(name);
    text += `${moved ? 'X-Crawler-' : ''}${foldLine(name)}: ${foldLine(value)}\r\n`;
  }
  return headerBytes(`${text}\r\n`);
}

/** HTTP heads are bytes read as Latin-1. Wider characters must not lose their high half: it could become CR or LF. */
function headerBytes(text: string): Buffer {
  return Buffer.from(text, /^[\u0000-\u00ff]*$/.test(text) ? 'latin1' : 'utf8');
}

function foldLine(text: string): string {
  return /[\0\r\n]/.test(text) ? text.replace(/[\0\r\n]+/g, ' ') : text;
}

function fold(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim();
}

function isPacked({ page, mime }: Capture): boolean {
  return (
    packedTypes.test(mime) ||
    page.headers.some(([name, value]) => {
      return name.toLowerCase() === 'content-encoding' && !/^\s*(?:identity)?\s*$/i.test(value);
    })
  );
}

function recordId(): string {
  return `<urn:uuid:${randomUUID()}>`;
}
