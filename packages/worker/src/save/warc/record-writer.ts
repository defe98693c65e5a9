import { randomUUID } from 'node:crypto';
import { WebfarerError } from '@webfarer/protocol';
import { sha1Digest } from '../../bytes/digest.ts';
import { gzipMemberSync } from '../gzip-member.ts';

const version = 'WARC/1.1';
export const recordEnd = '\r\n\r\n';

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

export function recordId(): string {
  return `<urn:uuid:${randomUUID()}>`;
}

/** To the millisecond, and to the same one as the index. */
export function warcDate(ms: number): string {
  return new Date(Math.round(ms)).toISOString();
}

/** A small record: its head is completed with the block's digest and length. */
export function smallMember(fields: Field[], type: string, block: Buffer): Buffer[] {
  const head = recordHead([
    ...fields,
    ['WARC-Block-Digest', sha1Digest(block)],
    ['Content-Type', type],
    ['Content-Length', String(block.length)],
  ]);
  return gzipMemberSync(Buffer.concat([head, block, Buffer.from(recordEnd)]));
}

/** Lines of `application/warc-fields`. What would break a line is folded: these are words of people and pages. */
export function fieldLines(fields: Field[]): Buffer {
  let text = '';
  for (const [name, value] of fields) {
    if (value !== undefined) text += `${fold(name)}: ${fold(value)}\r\n`;
  }
  return Buffer.from(text);
}

function fold(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim();
}
