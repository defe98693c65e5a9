import { createHash } from 'node:crypto';
import { openSync, closeSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { HostKey, PageRecord } from '@webfarer/protocol';
import { type HostMatch, hostMatch, hostNamedIn } from '@webfarer/protocol/url';
import { readWarc } from '@webfarer/worker/archive';
import { systemClock } from '@webfarer/protocol';
import { openStore } from '../../packages/coordinator/src/redis/store.ts';
import { fileOf } from '../../packages/worker/src/archive/objects/layout.ts';

/** What an archive holds of a host that is to be deleted, and of the others, by the bytes of its WARC files. */
export interface ArchiveContents {
  /** Raw bytes of each record of other hosts by its id: what and where it is. */
  others: Map<string, string>;
  /** Records of other hosts that change, because they name the host: what a page was found on, whose body it shares. */
  naming: Set<string>;
  /** Stretches of bodies that only the host has served. */
  words: string[];
  /** Captures of the host. */
  captures: number;
}

const answers = new Set(['response', 'revisit', 'resource']);
const wordBytes = 40;

/** Reads all WARC files of a folder. */
export async function archiveContents(folder: string, host: string): Promise<ArchiveContents> {
  const match = hostMatch(host);
  const found: ArchiveContents = { others: new Map(), naming: new Set(), words: [], captures: 0 };
  const own: string[] = [];
  const rest: string[] = [];
  for (const name of warcsIn(folder)) {
    for await (const { fields, block, type, offset, length } of recordsIn(join(folder, name))) {
      const target = fields.get('warc-target-uri') ?? '';
      if (match.url(target)) {
        if (answers.has(type)) found.captures++;
        if (type === 'response') own.push(bodyOf(block));
        continue;
      }
      if (type === 'response') rest.push(bodyOf(block));
      const id = fields.get('warc-record-id') ?? '';
      const raw = rawAt(join(folder, name), offset, length);
      found.others.set(id, `${fileOf(name)}@${offset} ${createHash('sha256').update(raw).digest('hex')}`);
      const refers = fields.get('warc-refers-to-target-uri') ?? '';
      if (match.url(refers) || (type === 'metadata' && match.mentions(block))) found.naming.add(id);
    }
  }
  const others = rest.join('\n');
  for (const body of own) {
    for (let at = 0; at + wordBytes <= body.length; at += Math.max(wordBytes, body.length >> 2)) {
      const word = body.slice(at, at + wordBytes);
      if (!others.includes(word)) found.words.push(word);
    }
  }
  return found;
}

/** How many records of other hosts are missing, or are not what they were where they were. */
export function changedRecords(before: ArchiveContents, after: ArchiveContents): string[] {
  return [...before.others]
    .filter(([id, was]) => !before.naming.has(id) && after.others.get(id) !== was)
    .map(([id, was]) => `${id} was ${was}, is ${after.others.get(id) ?? 'gone'}`);
}

/**
 * Files of a folder in which the host is named outside what other hosts have served, or in which something stands that
 * only the host has served, packed or not.
 */
export async function tracesIn(
  folder: string,
  host: string,
  words: readonly string[],
): Promise<{ file: string; why: string }[]> {
  const match = hostMatch(host);
  const found: { file: string; why: string }[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const file = relative(folder, path);
    if (match.mentions(entry.name)) found.push({ file, why: 'its name' });
    if (!entry.isFile()) continue;
    const why = await traceIn(path, match, words);
    if (why !== undefined) found.push({ file, why });
  }
  return found;
}

async function traceIn(
  path: string,
  match: HostMatch,
  words: readonly string[],
): Promise<string | undefined> {
  const bytes = readFileSync(path);
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const isWarc = /\.warc\.gz(?:\.(?:open|erasing))?$/.test(path);
  const texts = [
    bytes.toString('latin1'),
    ...(isPacked && !isWarc ? [gunzipSync(bytes).toString('latin1')] : []),
  ];
  for (const text of isWarc ? texts.slice(1) : texts) if (match.mentions(text)) return 'the host is named';
  for (const text of texts) if (words.some((word) => text.includes(word))) return 'words of the host';
  if (!isWarc) return undefined;
  for await (const { fields, block, type } of recordsIn(path)) {
    const target = fields.get('warc-target-uri') ?? '';
    const head = [...fields.values()].join('\n');
    const isOthers = answers.has(type) && target !== '' && !match.url(target);
    if (match.mentions(isOthers ? head : `${head}\n${block}`)) return `a ${type} record names it: ${target}`;
    if (words.some((word) => block.includes(word))) return `words of the host in a ${type} record: ${target}`;
  }
  return undefined;
}

/** Keys of a store that name the host; the tombstone does. */
export async function keysNaming(url: string, host: string): Promise<string[]> {
  const store = await openStore({ url, replicas: 0, clock: systemClock() });
  const found: string[] = [];
  try {
    for await (const keys of store.scan('*'))
      for (const key of keys) {
        const [bytes = ''] = await store.run([{ key, args: ['DUMP', key] }]);
        if (key.includes(host) || JSON.stringify(bytes).includes(host)) found.push(key);
      }
    return found;
  } finally {
    await store.close();
  }
}

/** The host other than these with most captures: of those that a member has saved, and on which others were found. */
export async function hostToDelete(
  records: AsyncIterable<PageRecord>,
  { member, not }: { member: string; not: readonly string[] },
): Promise<HostKey> {
  const counts = new Map<string, { all: number; own: number; found: number }>();
  const of = (url: string) => {
    const host = hostNamedIn(url) ?? '';
    const sum = counts.get(host) ?? { all: 0, own: 0, found: 0 };
    if (!not.includes(host)) counts.set(host, sum);
    return sum;
  };
  for await (const { url, referrer, saved = [] } of records) {
    if (saved.length === 0) continue;
    of(url).all++;
    if (saved.some((at) => at.member === member)) of(url).own++;
    if (referrer !== undefined && hostNamedIn(referrer) !== hostNamedIn(url)) of(referrer).found++;
  }
  const rank = ({ own, found, all }: { all: number; own: number; found: number }) =>
    (own > 0 ? 2e6 : 0) + (found > 0 ? 1e6 : 0) + all;
  const [first] = [...counts].toSorted(([, x], [, y]) => rank(y) - rank(x));
  if (!first) throw new Error('no host has captures');
  return first[0] as HostKey;
}

interface WholeRecord {
  fields: Map<string, string>;
  block: string;
  type: string;
  offset: number;
  length: number;
}

/** Records up to where a killed process tore the file. */
async function* recordsIn(path: string): AsyncGenerator<WholeRecord> {
  try {
    for await (const record of readWarc(path)) {
      const pieces: Buffer[] = [];
      for await (const piece of record.block()) pieces.push(piece);
      const length = await record.finish();
      const fields = new Map(record.fields.map(([name, value]) => [name.toLowerCase(), value]));
      const block = Buffer.concat(pieces).toString('latin1');
      yield { fields, block, type: record.type, offset: record.offset, length };
    }
  } catch (error) {
    if (!path.endsWith('.open')) throw error;
  }
}

function warcsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.warc.gz'))
    .sort();
}

const bodyOf = (block: string): string => block.slice(block.indexOf('\r\n\r\n') + 4);

function rawAt(path: string, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(Math.min(length, statSync(path).size - offset));
  const file = openSync(path, 'r');
  try {
    readSync(file, bytes, 0, bytes.length, offset);
    return bytes;
  } finally {
    closeSync(file);
  }
}
