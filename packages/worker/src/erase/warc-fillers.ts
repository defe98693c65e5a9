import { randomUUID } from 'node:crypto';
import { sha1Digest } from '../bytes/digest.ts';
import type { Replacement } from './rewrite-file.ts';
import { exactMember } from './exact-member.ts';

/** Recovery reads members whole, so none is larger than this, about. */
const mostBytes = 16 * 1024 * 1024;
const recordEnd = Buffer.from('\r\n\r\n');

/** Records without content that take up the room of what was erased. */
export function warcFiller({ from, to }: { from: number; to: number }, nowMs: number): Replacement {
  const parts = Math.ceil((to - from) / mostBytes);
  const borders = Array.from({ length: parts + 1 }, (_, i) => from + Math.floor(((to - from) * i) / parts));
  const pieces = borders.slice(1).flatMap((end, i) => {
    const length = end - (borders[i] ?? 0);
    const made = exactMember({ head: fillerHead(nowMs), end: recordEnd, unit: 1 }, length);
    if (!made) throw new Error(`${length} bytes are too few for a record`);
    return made;
  });
  return { from, to, pieces };
}

/** `metadata` about no URL, of the type that indexers pass over. */
function fillerHead(nowMs: number): (zeros: number, salt: string) => Buffer {
  const id = randomUUID();
  return (zeros, salt) => {
    const block = `erased: ${salt}\r\n`;
    return Buffer.from(
      `WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: <urn:uuid:${id}>\r\nWARC-Date: ${new Date(nowMs).toISOString()}\r\n` +
        `Content-Type: application/warc-fields\r\nContent-Length: ${block.length + zeros}\r\n\r\n${block}`,
    );
  };
}

export interface KeptRecord {
  fields: readonly [string, string][];
  block: Buffer;
  from: number;
  to: number;
}

/** A record of text with another block, in exactly the room of the one before. Undefined where it does not fit. */
export function sameLength({ fields, block, from, to }: KeptRecord): Replacement | undefined {
  const head = (_zeros: number, salt: string): Buffer => {
    const whole = salt === '' ? block : Buffer.concat([block, Buffer.from(`erased: ${salt}\r\n`)]);
    const lines = fields.map(([name, value]) => `${name}: ${valueOf(name, value, whole)}\r\n`);
    return Buffer.concat([Buffer.from(`WARC/1.1\r\n${lines.join('')}\r\n`), whole]);
  };
  // No zeros: a multiple of more than there is room for.
  const pieces = exactMember({ head, end: recordEnd, unit: to - from + 1 }, to - from);
  return pieces && { from, to, pieces };
}

function valueOf(name: string, value: string, block: Buffer): string {
  if (/^warc-block-digest$/i.test(name)) return sha1Digest(block);
  return /^content-length$/i.test(name) ? String(block.length) : value;
}
