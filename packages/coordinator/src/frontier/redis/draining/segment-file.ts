import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CrawlId, HostKey, PageRecord } from '@webfarer/protocol';
import { makeFolder, moveFile, syncFolder } from '@webfarer/protocol/node';
import type { StreamRecord } from '../context/record-text.ts';
import type { SegmentRange } from '../context/group-reader.ts';
import { blockBytes, packBlock, readBlocks } from './gzip-blocks.ts';

/**
 * Where a segment is under a folder of segments. The name says what is in it and nothing else: whoever writes a range,
 * and however often, writes this file, so any file of this name will do.
 */
export function segmentName({ crawl, group, after, to }: SegmentRange): string {
  return join(segmentFolder(crawl), `g${group}`, `${after}_${to}.jsonl.gz`);
}

/** Where all segments of a crawl are. */
export function segmentFolder(crawl: CrawlId): string {
  // What encodeURIComponent leaves and Windows cannot store at that place.
  return encodeURIComponent(crawl)
    .replaceAll('*', '%2A')
    .replace(/^\.|\.$/g, '%2E');
}

/** A line of a segment. */
interface Line {
  id: string;
  /** As it was queued first: host, and the URL with what belongs to it. */
  entry: string;
  record: PageRecord;
  items?: unknown;
  /** Packed, base64. */
  edges?: string;
}

export interface WrittenSegment {
  records: number;
  bytes: number;
}

/** Writes a segment; when this is answered it is on the disk under its name, whole. */
export async function writeSegment(file: string, pages: Pages): Promise<WrittenSegment>;
/** Undefined, and nothing under its name: `isWhole` was false once everything had been read. */
export async function writeSegment(
  file: string,
  pages: Pages,
  isWhole: () => Promise<boolean>,
): Promise<WrittenSegment | undefined>;
export async function writeSegment(
  file: string,
  pages: Pages,
  isWhole?: () => Promise<boolean>,
): Promise<WrittenSegment | undefined> {
  await makeFolder(dirname(file));
  const handle = await open(`${file}.new`, 'w');
  let written: WrittenSegment;
  try {
    written = await writeLines(handle, pages);
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (isWhole && !(await isWhole())) {
    await rm(`${file}.new`, { force: true });
    return undefined;
  }
  await moveFile(`${file}.new`, file);
  await syncFolder(dirname(file));
  return written;
}

type Pages = AsyncIterable<StreamRecord[]> | Iterable<StreamRecord[]>;

async function writeLines(handle: FileHandle, pages: Pages): Promise<WrittenSegment> {
  let rest = Buffer.alloc(0);
  let [records, bytes] = [0, 0];
  const put = async (block: Buffer) => {
    const packed = packBlock(block);
    bytes += packed.length;
    await handle.writeFile(packed);
  };
  for await (const page of pages) {
    records += page.length;
    rest = Buffer.concat([rest, Buffer.from(page.map(lineOf).join(''))]);
    for (; rest.length >= blockBytes; rest = rest.subarray(blockBytes))
      await put(rest.subarray(0, blockBytes));
  }
  if (rest.length > 0) await put(rest);
  return { records, bytes };
}

function lineOf({ id, host, entry, record, itemsText, edgesText }: StreamRecord): string {
  const line: Line = { id, entry: `${host}\n${entry}`, record };
  // Items are JSON already.
  const items = itemsText === '' ? '' : `,"items":${itemsText}`;
  const edges = edgesText === '' ? '' : `,"edges":${JSON.stringify(edgesText)}`;
  return `${JSON.stringify(line).slice(0, -1)}${items}${edges}}\n`;
}

/** Where a line of a segment begins: its block in the file, and its place in what the block unpacks to. */
export interface LinePlace {
  block: number;
  skip: number;
}

export const firstLine: LinePlace = { block: 0, skip: 0 };

/** The results of a segment in their order, some at a time, each time with the place of the first and of the next. */
export async function* readSegment(
  file: string,
  group: number,
  from: LinePlace = firstLine,
): AsyncGenerator<{ records: StreamRecord[]; begin: LinePlace; next: LinePlace }> {
  let parts: Buffer[] = [];
  let begin = from;
  for await (const { plain, at, end } of readBlocks(file, from.block)) {
    const block = at === from.block ? plain.subarray(from.skip) : plain;
    parts.push(block);
    const cut = block.lastIndexOf(0x0a) + 1;
    if (cut === 0) continue;
    // Cut at a line, so never within a character.
    const left = Buffer.from(block.subarray(cut));
    parts[parts.length - 1] = block.subarray(0, cut);
    const text = Buffer.concat(parts).toString();
    parts = [left];
    const next =
      left.length === 0 ? { block: end, skip: 0 } : { block: at, skip: plain.length - left.length };
    const lines = text.slice(0, -1).split('\n');
    yield { records: lines.map((line) => readLine(group, line)), begin, next };
    begin = next;
  }
  if (parts.some((part) => part.length > 0)) throw new Error('its last line is truncated');
}

function readLine(group: number, text: string): StreamRecord {
  const { id, entry, record, items, edges = '' } = JSON.parse(text) as Line;
  const end = entry.indexOf('\n');
  return {
    id,
    group,
    inFile: true,
    host: entry.slice(0, end) as HostKey,
    entry: entry.slice(end + 1),
    record,
    itemsText: items === undefined ? '' : JSON.stringify(items),
    edgesText: edges,
  };
}
