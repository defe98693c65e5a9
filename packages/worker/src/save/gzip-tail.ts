import { type FileHandle, open } from 'node:fs/promises';
import { crc32, inflateRawSync } from 'node:zlib';
import { memberHeaderBytes, memberTrailerBytes, statedLength } from './gzip-member.ts';

/**
 * How far back a crash can have torn a file: what is written between two syncs. Members before that were
 * durable, so their stated lengths are trusted; members within it are inflated and checked.
 */
const suspectBytes = 64 * 1024 * 1024;

/** Where the last whole gzip member of a file of ours ends: everything behind it is a torn tail. */
export async function wholeMembersEnd(path: string, suspect = suspectBytes): Promise<number> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    let at = 0;
    for (;;) {
      const length = await memberAt(handle, at, size);
      if (length === undefined) return at;
      const checked = at + length > size - suspect;
      if (checked && !(await isWhole(handle, at, length))) return at;
      at += length;
    }
  } finally {
    await handle.close();
  }
}

async function memberAt(handle: FileHandle, at: number, size: number): Promise<number | undefined> {
  const header = await readAt(handle, at, memberHeaderBytes);
  const length = statedLength(header);
  return length === undefined || at + length > size ? undefined : length;
}

async function isWhole(handle: FileHandle, at: number, length: number): Promise<boolean> {
  const member = await readAt(handle, at, length);
  if (member.length < length) return false;
  const deflated = member.subarray(memberHeaderBytes, length - memberTrailerBytes);
  let plain: Buffer;
  try {
    plain = inflateRawSync(deflated);
  } catch {
    return false;
  }
  return (
    crc32(plain) === member.readUInt32LE(length - 8) && plain.length >>> 0 === member.readUInt32LE(length - 4)
  );
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(buffer, done, length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}
