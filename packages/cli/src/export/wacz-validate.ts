import { createHash } from 'node:crypto';
import { constants, crc32, gunzipSync } from 'node:zlib';
import { otherKey } from '@webfarer/worker/archive';
import { indexPath, pagesPath, secondIndexPath } from './wacz.ts';
import { type ZipEntry, ZipReader } from './zip-reader.ts';

export interface WaczCheck {
  ok: boolean;
  /** Files inside. */
  entries: number;
  /** Lines of the index, each found where it says. */
  captures: number;
  pages: number;
  problems: string[];
}

const maxProblems = 100;
const own = ['datapackage.json', 'datapackage-digest.json'];
/** Enough of a record to read its head. */
const peekBytes = 32 * 1024;

/** Reads every byte of a WACZ file: its zip, its digests, and that the index leads to what it names. */
export async function validateWacz(file: string): Promise<WaczCheck> {
  const check: WaczCheck = { ok: true, entries: 0, captures: 0, pages: 0, problems: [] };
  const note = (text: string) => {
    check.ok = false;
    if (check.problems.length < maxProblems) check.problems.push(text);
  };
  let zip: ZipReader | undefined;
  try {
    zip = await ZipReader.open(file);
    check.entries = zip.entries.size;
    await checkDigests(zip, note);
    const pages = await readPages(zip, note);
    check.pages = pages.size;
    check.captures = await checkIndex(zip, pages, note);
    for (const url of pages) note(`the page ${url} is not in the index`);
  } catch (error) {
    note((error as Error).message);
  } finally {
    await zip?.close();
  }
  return check;
}

type Note = (text: string) => void;

interface Listed {
  path?: unknown;
  hash?: unknown;
  bytes?: unknown;
}

async function checkDigests(zip: ZipReader, note: Note): Promise<void> {
  const text = await zip.whole('datapackage.json');
  if (!text) return note('datapackage.json is missing');
  const digest = JSON.parse(String(await zip.whole('datapackage-digest.json'))) as Listed;
  if (digest.hash !== `sha256:${createHash('sha256').update(text).digest('hex')}`)
    note('datapackage.json does not match datapackage-digest.json');
  const { resources = [] } = JSON.parse(text.toString()) as { resources?: Listed[] };
  const listed = new Map(resources.map((resource) => [String(resource.path), resource]));
  for (const entry of zip.entries.values()) {
    const { hash, crc } = await sumsOf(zip, entry);
    if (crc !== entry.crc) note(`${entry.name}: the checksum is wrong`);
    const resource = listed.get(entry.name);
    listed.delete(entry.name);
    if (own.includes(entry.name)) continue;
    if (!resource) note(`${entry.name} is not in datapackage.json`);
    else if (resource.hash !== hash || resource.bytes !== entry.bytes)
      note(`${entry.name}: the digest is wrong`);
  }
  for (const path of listed.keys()) note(`${path} is missing`);
}

async function sumsOf(zip: ZipReader, entry: ZipEntry): Promise<{ hash: string; crc: number }> {
  const hash = createHash('sha256');
  let crc = 0;
  for await (const piece of zip.content(entry)) {
    hash.update(piece);
    crc = crc32(piece, crc);
  }
  return { hash: `sha256:${hash.digest('hex')}`, crc };
}

async function readPages(zip: ZipReader, note: Note): Promise<Set<string>> {
  const [head, ...lines] = String((await zip.whole(pagesPath)) ?? '')
    .split('\n')
    .filter(Boolean);
  if (!head?.includes('json-pages-1.0')) note(`${pagesPath} is missing or has no header`);
  return new Set(lines.map((line) => String((JSON.parse(line) as { url?: unknown }).url)));
}

interface Place {
  url: string;
  mime: string;
  offset: string;
  length: string;
  filename: string;
}

/** Follows both indexes to every record. Takes the pages it meets out of the set. */
async function checkIndex(zip: ZipReader, pages: Set<string>, note: Note): Promise<number> {
  const entry = zip.entries.get(indexPath);
  const second = await zip.whole(secondIndexPath);
  if (!entry || !second) {
    note(`${entry ? secondIndexPath : indexPath} is missing`);
    return 0;
  }
  const [meta, ...rows] = second.toString('latin1').split('\n').filter(Boolean);
  if (!meta?.startsWith('!meta 0 ')) note(`${secondIndexPath} has no header`);
  let last = '';
  const count = { captures: 0, otherKeys: 0 };
  let covered = 0;
  for (const row of rows) {
    const block = jsonOf<{ offset: number; length: number }>(row);
    if (block.offset !== covered) note(`${secondIndexPath} does not cover the whole index`);
    covered = block.offset + block.length;
    const packed = await bytesOf(zip, entry, block);
    const lines = gunzipSync(packed).toString('latin1').split('\n').filter(Boolean);
    if (!lines[0]?.startsWith(`${keyOf(row)} `)) note(`${secondIndexPath} has an entry without its block`);
    for (const line of lines) {
      if (line <= last) note('the index is not sorted');
      last = line;
      const place = jsonOf<Place>(line);
      // A capture whose URL ends in a slash may be filed under a second key.
      if (isOtherKey(line, place)) count.otherKeys += 1;
      else count.captures += 1;
      if (otherKey(line) !== undefined) count.otherKeys -= 1;
      pages.delete(place.url);
      await checkPlace(zip, place, note);
    }
  }
  if (covered !== entry.bytes) note(`${secondIndexPath} ends before the index does`);
  // Tools that file it under the second key only.
  return count.captures + Math.max(0, count.otherKeys);
}

/** The key of a URL without the slash that its path ends in. */
function isOtherKey(line: string, { url }: Place): boolean {
  const key = line.slice(0, line.indexOf(' ')).split('?', 1)[0] ?? '';
  return !key.endsWith('/') && (url.split(/[?#]/, 1)[0] ?? '').endsWith('/');
}

function keyOf(line: string): string {
  return line.split(' ', 2).join(' ');
}

function jsonOf<T>(line: string): T {
  return JSON.parse(line.slice(line.indexOf('{'))) as T;
}

async function bytesOf(
  zip: ZipReader,
  entry: ZipEntry,
  { offset, length }: { offset: number; length: number },
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of zip.content(entry, offset, length)) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function checkPlace(zip: ZipReader, place: Place, note: Note): Promise<void> {
  const entry = zip.entries.get(`archive/${place.filename}`);
  const offset = Number(place.offset);
  const length = Number(place.length);
  if (!entry || !(offset >= 0) || !(offset + length <= entry.bytes))
    return note(`the index points to no record: ${place.url}`);
  const rest = entry.bytes - offset - length;
  const packed = await bytesOf(zip, entry, { offset, length: Math.min(length, peekBytes) });
  const behind = await bytesOf(zip, entry, { offset: offset + length, length: Math.min(2, rest) });
  const head = gunzipSync(packed, { finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1');
  const type = place.mime === 'warc/revisit' ? 'revisit' : 'response';
  if (
    !head.startsWith(`WARC/1.1\r\nWARC-Type: ${type}\r\n`) ||
    !head.includes(`\r\nWARC-Target-URI: ${place.url}\r\n`)
  )
    note(`the index points to another record: ${place.url}`);
  if (rest > 0 && behind.toString('hex') !== '1f8b') note(`the index has a wrong length for ${place.url}`);
}
