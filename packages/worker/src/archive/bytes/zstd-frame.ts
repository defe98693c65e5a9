import { zstdDecompressSync } from 'node:zlib';
import type { ByteWindow } from './byte-window.ts';
import { WarcProblem } from './warc-problem.ts';
import { type FrameFormat, wholeFramesEnd } from './whole-end.ts';

const magic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
/** Of a frame that every reader passes over (RFC 8878 section 3.1.2): what erasing leaves. */
const skipMagic = Buffer.from([0x50, 0x2a, 0x4d, 0x18]);
const skipHeadBytes = 8;
const maxHeaderBytes = 18;
const blockHeaderBytes = 3;
const firstBytes = 64 * 1024;

/**
 * How long the Zstandard frame at an offset is, found by hopping from block to block (RFC 8878 section 3.1.1).
 * Undefined: there is none, or the bytes end within the head of one of its parts.
 */
function frameLength(read: (at: number, length: number) => Buffer, start: number): number | undefined {
  const header = read(start, maxHeaderBytes);
  if (header.length >= skipHeadBytes && header.subarray(0, 4).equals(skipMagic))
    return skipHeadBytes + header.readUInt32LE(4);
  const flags = header[4];
  if (flags === undefined || !header.subarray(0, 4).equals(magic)) return undefined;
  const isSingle = (flags & 0x20) !== 0;
  const contentSizeBytes = [isSingle ? 1 : 0, 2, 4, 8][flags >> 6] ?? 0;
  const dictionaryBytes = [0, 1, 2, 4][flags & 3] ?? 0;
  let length = 5 + (isSingle ? 0 : 1) + dictionaryBytes + contentSizeBytes;
  for (let isLast = false; !isLast; ) {
    const block = read(start + length, blockHeaderBytes);
    if (block.length < blockHeaderBytes) return undefined;
    const head = block.readUIntLE(0, blockHeaderBytes);
    const isRun = ((head >> 1) & 3) === 1;
    isLast = (head & 1) === 1;
    length += blockHeaderBytes + (isRun ? 1 : head >> 3);
  }
  return length + ((flags & 4) === 0 ? 0 : 4);
}

const zstdFrames: FrameFormat = {
  lengthAt: frameLength,
  isWhole(frame) {
    try {
      zstdDecompressSync(frame);
      return true;
    } catch {
      return false;
    }
  },
};

/** Begins a frame of this length without content; zeros follow. At least `skipHeadBytes`. */
export function skippedFrameHead(length: number): Buffer {
  const head = Buffer.alloc(skipHeadBytes);
  skipMagic.copy(head);
  head.writeUInt32LE(length - skipHeadBytes, 4);
  return head;
}

/** Where the last whole Zstandard frame of a file of ours ends. */
export async function wholeZstdEnd(path: string): Promise<number> {
  return wholeFramesEnd(path, zstdFrames);
}

/** The content of the frame at the window's position, its checksum verified. */
export async function unpackZstd(window: ByteWindow): Promise<Buffer> {
  const start = window.position;
  for (let min = firstBytes; ; min *= 4) {
    const seen = await window.see(min);
    const length = frameLength((at, bytes) => seen.subarray(at, at + bytes), 0);
    if (length !== undefined && length <= seen.length) {
      const plain = unpacked(seen.subarray(0, length), start);
      window.skip(length);
      return plain;
    }
    if (![magic, skipMagic].some((start) => seen.subarray(0, 4).equals(start.subarray(0, seen.length))))
      throw new WarcProblem(start, 'no Zstandard frame begins here');
    if (seen.length < min) throw new WarcProblem(start, 'the file ends within a Zstandard frame', true);
  }
}

function unpacked(frame: Buffer, start: number): Buffer {
  try {
    return zstdDecompressSync(frame);
  } catch (error) {
    throw new WarcProblem(start, `the compressed data is damaged (${(error as Error).message})`);
  }
}
