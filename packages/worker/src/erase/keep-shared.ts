import type { DatedClock } from '@webfarer/protocol';
import type { HostMatch } from '@webfarer/protocol/url';
import type { ArchiveFile } from '../archive/archive.ts';
import { openBytes, type OpenBytes } from '../archive/bytes/byte-source.ts';
import { wholeMembersEnd } from '../archive/bytes/gzip-tail.ts';
import { fieldOf } from '../archive/warc/record-head.ts';
import { readWarc } from '../archive/warc/warc-reader.ts';
import { sha1Digest } from '../bytes/digest.ts';
import { gzipMember } from '../save/gzip-member.ts';
import { readWhole } from '../save/objects/upload-object.ts';
import { safeLabel } from '../save/safe-label.ts';
import { Segments } from '../save/segments.ts';
import { recordEnd, recordHead } from '../save/warc/record-writer.ts';
import { warcHead, type WarcHeadOptions } from '../save/warc/warcinfo.ts';
import { blockOf } from './erase-warc.ts';

/** A capture that has another place now. */
export interface MovedCapture {
  url: string;
  /** `shared`: in the object storage of the crawl. */
  from: { file: string; offset: number; shared?: true };
  to: { file: string; offset: number; length: number; shared?: true };
  /** Its content type: it is no revisit any more, or refers to another capture. */
  mime?: string;
  /** The capture that it refers to now. */
  refersTo?: { url: string; startedAtMs: number; file: string; offset: number; length: number };
  /** Bytes by which what a browser made of it is farther from its start. */
  shift: number;
}

export interface KeepOptions extends WarcHeadOptions {
  folder: string;
  /** Makes the names of its files their own. */
  tag?: string;
  files: readonly ArchiveFile[];
  match: HostMatch;
  clock: DatedClock;
}

/** A capture of another host whose body stands in one of the host that goes. */
interface Shared {
  file: ArchiveFile;
  offset: number;
  url: string;
  id: string;
  original: string;
}

interface Place {
  open: OpenBytes;
  path: string;
  offset: number;
}

/**
 * Copies captures of other hosts that refer to bodies of this one into files of their own: the first with the body, which
 * its host has served as well, the others as references to that. Changes no file that is there. A body that is gone
 * was copied by an earlier call, whose answer was recorded before anything was erased.
 */
export async function keepShared(options: KeepOptions): Promise<MovedCapture[]> {
  const { shared, originals } = await findShared(options);
  const groups = Map.groupBy(shared, ({ original }) => original);
  const moved: MovedCapture[] = [];
  let segments: Segments | undefined;
  try {
    for (const [original, captures] of groups) {
      const place = originals.get(original);
      if (!place) continue;
      segments ??= await openSegments(options);
      moved.push(...(await copyGroup(segments, captures, await payloadAt(place))));
    }
  } finally {
    await segments?.stop();
  }
  return moved;
}

async function findShared({ files, match }: KeepOptions) {
  const shared: Shared[] = [];
  const originals = new Map<string, Place>();
  for (const file of files) {
    for await (const record of readWarc(file.open)) {
      const url = record.field('warc-target-uri') ?? '';
      const id = record.field('warc-record-id') ?? '';
      if (record.type === 'response' && match.url(url)) {
        const place = { open: file.open, path: file.path, offset: record.offset };
        originals.set(id, place);
        originals.set(byDate(url, record.field('warc-date')), place);
      }
      const target = record.field('warc-refers-to-target-uri');
      if (record.type !== 'revisit' || target === undefined || !match.url(target) || match.url(url)) continue;
      const original = record.field('warc-refers-to') ?? byDate(target, record.field('warc-refers-to-date'));
      shared.push({ file, offset: record.offset, url, id, original });
    }
  }
  return { shared, originals };
}

const byDate = (url: string, date = ''): string => `${date} ${url}`;

async function openSegments({ folder, clock, tag, ...head }: KeepOptions): Promise<Segments> {
  const segments = new Segments({
    folder,
    dir: 'archive',
    name: `${safeLabel(head.name)}-kept${tag === undefined ? '' : `-${tag}`}`,
    ownOnly: true,
    ext: '.warc.gz',
    rotateBytes: 1_000_000_000,
    clock,
    head: warcHead(head, clock),
    wholeEnd: wholeMembersEnd,
  });
  await segments.start();
  return segments;
}

async function payloadAt({ open, path, offset }: Place): Promise<Buffer> {
  for await (const record of readWarc(open, { from: offset })) {
    const block = await blockOf(record);
    return block.subarray(block.indexOf('\r\n\r\n') + 4);
  }
  throw new Error(`${path} ends before byte ${offset}`);
}

async function copyGroup(
  segments: Segments,
  captures: readonly Shared[],
  payload: Buffer,
): Promise<MovedCapture[]> {
  const moved: MovedCapture[] = [];
  let first: { capture: MovedCapture; id: string; date: string } | undefined;
  for (const capture of captures) {
    const { main, oldLength, rest, mime, date } = await readCapture(capture);
    const head = first ? reference(main, first) : response(main, payload);
    const member = await gzipMember(head);
    const length = member.reduce((sum, part) => sum + part.length, 0);
    const { file, offset } = await segments.append([...member, ...rest]);
    const one: MovedCapture = {
      url: capture.url,
      from: {
        file: capture.file.name,
        offset: capture.offset,
        ...(typeof capture.file.open === 'string' ? {} : { shared: true as const }),
      },
      to: { file, offset, length },
      ...(mime === undefined || first ? {} : { mime }),
      ...(first ? { refersTo: placeOf(first) } : {}),
      shift: length - oldLength,
    };
    moved.push(one);
    first ??= { capture: one, id: capture.id, date };
  }
  return moved;
}

function placeOf({ capture, date }: { capture: MovedCapture; date: string }) {
  const { file, offset, length } = capture.to;
  return { url: capture.url, startedAtMs: Date.parse(date), file, offset, length };
}

interface Main {
  fields: readonly [string, string][];
  block: Buffer;
}

/** The record of a capture, and those behind it that belong to it as they are. */
async function readCapture({ file, offset, id }: Shared) {
  let main: Main | undefined;
  let [oldLength, to] = [0, offset];
  let date = '';
  for await (const record of readWarc(file.open, { from: offset })) {
    if (main && record.field('warc-concurrent-to') !== id) break;
    if (!main) {
      main = { fields: record.fields, block: await blockOf(record) };
      date = record.field('warc-date') ?? '';
      oldLength = await record.finish();
      to = offset + oldLength;
    } else to += await record.finish();
  }
  if (!main) throw new Error(`${file.path} ends before byte ${offset}`);
  const mime = /\r\ncontent-type:[ \t]*([^;\r\n]*)/i
    .exec(main.block.toString('latin1'))?.[1]
    ?.trim()
    .toLowerCase();
  return { main, oldLength, date, mime, rest: [await bytesOf(file.open, offset + oldLength, to)] };
}

async function bytesOf(from: OpenBytes, start: number, end: number): Promise<Buffer> {
  const source = await openBytes(from);
  try {
    return await readWhole(source, start, end - start);
  } finally {
    await source.close();
  }
}

const dropped = /^(?:warc-type|warc-profile|warc-refers-to.*|warc-block-digest|content-length)$/i;

/** The same answer with its body. */
function response({ fields, block }: Main, payload: Buffer) {
  const head = recordHead([
    ['WARC-Type', 'response'],
    ...fields.filter(([name]) => !dropped.test(name)),
    ['WARC-Block-Digest', sha1Digest(block, payload)],
    ['Content-Length', String(block.length + payload.length)],
  ]);
  const encoding = /\r\ncontent-encoding:[ \t]*(?!identity)\S/i.test(block.toString('latin1'));
  return { head: Buffer.concat([head, block]), body: payload, end: Buffer.from(recordEnd), packed: encoding };
}

/** The same revisit of another capture. */
function reference(
  { fields, block }: Main,
  { capture, id, date }: { capture: MovedCapture; id: string; date: string },
) {
  const head = recordHead([
    ['WARC-Type', 'revisit'],
    ...fields.filter(([name]) => !dropped.test(name)),
    ['WARC-Profile', fieldOf([...fields], 'warc-profile')],
    ['WARC-Refers-To', id],
    ['WARC-Refers-To-Target-URI', capture.url],
    ['WARC-Refers-To-Date', date],
    ['WARC-Block-Digest', sha1Digest(block)],
    ['Content-Length', String(block.length)],
  ]);
  return { head, body: block, end: Buffer.from(recordEnd), packed: false };
}
