import { createHash, type Hash } from 'node:crypto';
import { base32 } from '../../bytes/digest.ts';
import type { OpenBytes } from '../bytes/byte-source.ts';
import { readWarc, type WarcRecord } from './warc-reader.ts';
import { WarcProblem } from '../bytes/warc-problem.ts';

export interface WarcCheck {
  ok: boolean;
  records: number;
  /** Records of each type. */
  types: Record<string, number>;
  /** Digests that were recomputed and found right. */
  digests: number;
  /** What is wrong and where, in order; reading ends at the first damage to the structure. */
  problems: { offset: number; text: string; torn: boolean }[];
  /** Everything before this byte is sound. */
  soundUntil: number;
}

const maxProblems = 1_000;

export interface ValidateWarcOptions {
  /** Where to begin: the offset of a record. */
  from?: number;
  /** Stop behind the record with which so many bytes of the file were read; absent: at its end. */
  mostBytes?: number;
}

/** Reads every byte of a WARC file: structure, checksums, lengths, required fields, every digest. */
export async function validateWarc(file: OpenBytes, options: ValidateWarcOptions = {}): Promise<WarcCheck> {
  const { from = 0, mostBytes = Number.POSITIVE_INFINITY } = options;
  const check: WarcCheck = { ok: true, records: 0, types: {}, digests: 0, problems: [], soundUntil: from };
  const ids = new Set<string>();
  const note = (offset: number, text: string, torn = false) => {
    check.ok = false;
    if (check.problems.length < maxProblems) check.problems.push({ offset, text, torn });
  };
  try {
    for await (const record of readWarc(file, { from })) {
      const wrong = [...wrongFields(record), ...(await wrongDigests(record, check))];
      const id = record.field('warc-record-id') ?? '';
      if (ids.has(id)) wrong.push(`the record id ${id} appears more than once`);
      ids.add(id);
      const end = record.offset + (await record.finish());
      for (const text of wrong) note(record.offset, text);
      check.records += 1;
      check.types[record.type] = (check.types[record.type] ?? 0) + 1;
      check.soundUntil = end;
      if (end - from >= mostBytes) break;
    }
  } catch (error) {
    if (!(error instanceof WarcProblem)) throw error;
    note(error.offset, error.message.replace(/^at byte \d+: /, ''), error.torn);
  }
  return check;
}

function wrongFields(record: WarcRecord): string[] {
  const wrong: string[] = [];
  const date = record.field('warc-date') ?? '';
  if (!/^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?Z)?)?)?$/.test(date)) {
    wrong.push(`WARC-Date is ${JSON.stringify(date)}`);
  }
  if (!/^<[^<>\s]+>$/.test(record.field('warc-record-id') ?? '')) wrong.push('WARC-Record-ID is not <a URI>');
  const needsTarget = ['response', 'resource', 'request', 'revisit', 'conversion', 'continuation'];
  if (needsTarget.includes(record.type) && !record.field('warc-target-uri'))
    wrong.push('WARC-Target-URI is missing');
  if (record.type === 'revisit' && !record.field('warc-profile')) wrong.push('WARC-Profile is missing');
  return wrong;
}

interface Digest {
  field: string;
  stated: string;
  hash: Hash;
}

/** Reads the block and recomputes what the record says about it. */
async function wrongDigests(record: WarcRecord, check: WarcCheck): Promise<string[]> {
  const block = digestOf(record, 'WARC-Block-Digest');
  const payload = record.field('warc-segment-number') ? undefined : digestOf(record, 'WARC-Payload-Digest');
  const head = new HttpHead(/^application\/http\b/i.test(record.field('content-type') ?? ''));
  for await (const piece of record.block()) {
    block?.hash.update(piece);
    const rest = head.behind(piece);
    if (rest) payload?.hash.update(rest);
  }
  const wrong: string[] = [];
  for (const digest of [block, head.chunked || record.type === 'revisit' ? undefined : payload]) {
    if (!digest) continue;
    if (matches(digest)) check.digests += 1;
    else wrong.push(`${digest.field} is wrong`);
  }
  return wrong;
}

function digestOf(record: WarcRecord, field: string): Digest | undefined {
  const [, algorithm = '', stated = ''] = /^([A-Za-z0-9-]+):(\S+)$/.exec(record.field(field) ?? '') ?? [];
  const name = algorithm.toLowerCase().replace('-', '');
  if (!['sha1', 'sha256', 'sha512', 'md5'].includes(name)) return undefined;
  return { field, stated, hash: createHash(name) };
}

/** In base32, as WARC writers do it, or in hex, as some do. */
function matches({ stated, hash }: Digest): boolean {
  const bytes = hash.digest();
  return stated.replace(/=+$/, '') === base32(bytes) || stated.toLowerCase() === bytes.toString('hex');
}

/** Passes on what follows the head of an HTTP message; everything when the block is none. */
class HttpHead {
  #head: Buffer | undefined;
  /** A payload whose chunks were kept has no digest that tools agree on. */
  chunked = false;

  constructor(http: boolean) {
    this.#head = http ? Buffer.alloc(0) : undefined;
  }

  behind(piece: Buffer): Buffer | undefined {
    if (!this.#head) return piece;
    this.#head = Buffer.concat([this.#head, piece]);
    const at = this.#head.indexOf('\r\n\r\n');
    if (at < 0) return undefined;
    this.chunked = /^transfer-encoding:[^\r\n]*chunked/im.test(this.#head.toString('latin1', 0, at));
    const rest = this.#head.subarray(at + 4);
    this.#head = undefined;
    return rest;
  }
}
