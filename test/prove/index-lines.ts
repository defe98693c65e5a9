import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface IndexFindings {
  lines: number;
  /** Lines whose place does not hold a capture of their URL with their digest. */
  wrong: string[];
}

/**
 * Looks up every line of `archive/index.cdxj`: at its offset there must be one whole gzip member with a capture of
 * its URL, and a body whose digest, computed here, is the one in the line.
 */
export function checkIndexLines(folder: string): IndexFindings {
  const archive = join(folder, 'archive');
  const files = new Map<string, Buffer>();
  const index = join(archive, 'index.cdxj');
  const lines = existsSync(index) ? readFileSync(index, 'utf8').split('\n').filter(Boolean) : [];
  const wrong = lines.flatMap((line) => {
    const fields = JSON.parse(line.slice(line.indexOf('{'))) as Record<string, string>;
    const { filename = '' } = fields;
    const path = join(archive, filename);
    // A file that is gone is one without any capture.
    if (!files.has(filename)) files.set(filename, existsSync(path) ? readFileSync(path) : Buffer.alloc(0));
    const why = faultOf(files.get(filename) ?? Buffer.alloc(0), fields);
    return why === undefined ? [] : [`${fields.url}: ${why}`];
  });
  return { lines: lines.length, wrong };
}

function faultOf(file: Buffer, fields: Record<string, string>): string | undefined {
  const offset = Number(fields.offset);
  const member = file.subarray(offset, offset + Number(fields.length));
  let record: Buffer;
  try {
    record = gunzipSync(member);
  } catch (error) {
    return `no gzip member at ${offset}: ${(error as Error).message}`;
  }
  const end = record.indexOf('\r\n\r\n');
  const head = record.toString('latin1', 0, end);
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim();
  if (field('WARC-Target-URI') !== fields.url) return `another URL at ${offset}`;
  if (field('WARC-Payload-Digest') !== fields.digest) return `another digest at ${offset}`;
  if (field('WARC-Type') === 'revisit') return undefined;
  const block = record.subarray(end + 4, end + 4 + Number(field('Content-Length')));
  const body = block.subarray(block.indexOf('\r\n\r\n') + 4);
  const digest = `sha1:${base32(createHash('sha1').update(body).digest())}`;
  return digest === fields.digest ? undefined : `the body at ${offset} has the digest ${digest}`;
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function base32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => letters[Number.parseInt(five, 2)]).join('');
}
