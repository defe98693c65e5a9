import { type FileHandle, open } from 'node:fs/promises';
import { WebfarerError } from '@webfarer/protocol';

export interface ZipEntry {
  name: string;
  bytes: number;
  crc: number;
  /** 0: stored. */
  method: number;
  /** Of the first byte of the content in the file. */
  start: number;
}

const endBytes = 22;
const longestEnd = endBytes + 0xffff;
const locatorBytes = 20;

/** Looks into a zip by its directory. Strict about what it needs; knows stored contents only. */
export class ZipReader {
  readonly #file: FileHandle;
  readonly #size: number;
  readonly entries: ReadonlyMap<string, ZipEntry>;

  private constructor(file: FileHandle, size: number, entries: Map<string, ZipEntry>) {
    this.#file = file;
    this.#size = size;
    this.entries = entries;
  }

  static async open(path: string): Promise<ZipReader> {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      return new ZipReader(file, size, await readEntries(file, size));
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async *content(entry: ZipEntry, from = 0, length = entry.bytes - from): AsyncGenerator<Buffer> {
    if (entry.method !== 0) throw broken(`${entry.name} is compressed, not stored`);
    if (entry.start + entry.bytes > this.#size || from + length > entry.bytes)
      throw broken(`${entry.name} is truncated`);
    for (let at = 0; at < length; ) {
      const piece = await readAt(this.#file, entry.start + from + at, Math.min(length - at, 1 << 18));
      at += piece.length;
      yield piece;
    }
  }

  async whole(name: string): Promise<Buffer | undefined> {
    const entry = this.entries.get(name);
    if (!entry) return undefined;
    const pieces: Buffer[] = [];
    for await (const piece of this.content(entry)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

function broken(text: string): WebfarerError {
  return new WebfarerError('storage', `not a valid zip file: ${text}`);
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  if (!Number.isSafeInteger(position) || position < 0) throw broken('an offset is out of range');
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, position);
  if (bytesRead !== length) throw broken('it is truncated');
  return bytes;
}

async function readEntries(file: FileHandle, size: number): Promise<Map<string, ZipEntry>> {
  const { count, start, bytes } = await findDirectory(file, size);
  if (start + bytes > size) throw broken('its directory is truncated');
  const directory = await readAt(file, start, bytes);
  const entries = new Map<string, ZipEntry>();
  let at = 0;
  for (let n = 0; n < count; n++) {
    if (at + 46 > bytes || directory.readUInt32LE(at) !== 0x0201_4b50)
      throw broken('its directory is damaged');
    const nameEnd = at + 46 + directory.readUInt16LE(at + 28);
    const extraEnd = nameEnd + directory.readUInt16LE(at + 30);
    const name = directory.toString('utf8', at + 46, nameEnd);
    const large = zip64Values(directory.subarray(nameEnd, extraEnd));
    const value = (offset: number) => {
      const small = directory.readUInt32LE(at + offset);
      return small === 0xffff_ffff ? (large.shift() ?? small) : small;
    };
    const plain = value(24);
    if (value(20) !== plain) throw broken(`${name} has two sizes`);
    const head = value(42);
    const start = await contentStart(file, head, name);
    if (entries.has(name)) throw broken(`${name} appears twice`);
    const crc = directory.readUInt32LE(at + 16);
    entries.set(name, { name, bytes: plain, crc, method: directory.readUInt16LE(at + 10), start });
    at = extraEnd + directory.readUInt16LE(at + 32);
  }
  return entries;
}

/** In the order of the fields that are full: size, compressed size, offset. */
function zip64Values(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    const length = Math.min(extra.readUInt16LE(at + 2), extra.length - at - 4);
    return Array.from({ length: length >> 3 }, (_, i) => Number(extra.readBigUInt64LE(at + 4 + i * 8)));
  }
  return [];
}

async function contentStart(file: FileHandle, head: number, name: string): Promise<number> {
  const local = await readAt(file, head, 30);
  if (local.readUInt32LE(0) !== 0x0403_4b50) throw broken(`${name} is not where the directory says`);
  const nameBytes = local.readUInt16LE(26);
  const found = await readAt(file, head + 30, nameBytes);
  if (found.toString() !== name) throw broken(`${name} has two names`);
  return head + 30 + nameBytes + local.readUInt16LE(28);
}

async function findDirectory(
  file: FileHandle,
  size: number,
): Promise<{ count: number; start: number; bytes: number }> {
  const tail = await readAt(file, Math.max(0, size - longestEnd), Math.min(size, longestEnd));
  const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0 || end + endBytes > tail.length) throw broken('it has no directory');
  const small = {
    count: tail.readUInt16LE(end + 10),
    start: tail.readUInt32LE(end + 16),
    bytes: tail.readUInt32LE(end + 12),
  };
  const isLarge = small.count === 0xffff || small.start === 0xffff_ffff || small.bytes === 0xffff_ffff;
  if (!isLarge || end < locatorBytes || tail.readUInt32LE(end - locatorBytes) !== 0x0706_4b50) return small;
  const large = await readAt(file, Number(tail.readBigUInt64LE(end - locatorBytes + 8)), 56);
  if (large.readUInt32LE(0) !== 0x0606_4b50) throw broken('its directory is not where it should be');
  return {
    count: Number(large.readBigUInt64LE(32)),
    start: Number(large.readBigUInt64LE(48)),
    bytes: Number(large.readBigUInt64LE(40)),
  };
}
