import { open } from 'node:fs/promises';
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

/**
 * Gzip in blocks of at most 64 KB (BGZF): any gzip tool reads the whole, and we read one block at a time without
 * keeping a file open, because a merge reads a thousand files at once.
 */
export const blockBytes = 65_000;

/** Gzip header with one extra field, `BC`: the length of the block less one, at 16. */
const head = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, 0x42, 0x43, 2, 0, 0, 0]);
const tailBytes = 8;

export function packBlock(plain: Buffer): Buffer {
  const packed = deflateRawSync(plain);
  // What cannot be made smaller, an item that is an image, is stored as it is.
  const body = packed.length < blockBytes ? packed : deflateRawSync(plain, { level: 0 });
  const block = Buffer.concat([head, body, Buffer.alloc(tailBytes)]);
  block.writeUInt16LE(block.length - 1, 16);
  block.writeUInt32LE(crc32(plain), block.length - 8);
  block.writeUInt32LE(plain.length, block.length - 4);
  return block;
}

/** A block and where it is in its file, and where the next one is. */
export interface Block {
  plain: Buffer;
  at: number;
  end: number;
}

/** A file from some block on, block by block. Throws where it is cut off or damaged. */
export async function* readBlocks(file: string, from = 0): AsyncGenerator<Block> {
  for (let at = from; ; ) {
    const chunk = await readAt(file, at);
    if (chunk.length === 0) return;
    const length = chunk.length < head.length ? Number.NaN : chunk.readUInt16LE(16) + 1;
    if (!(chunk.length >= length)) throw new Error(`it is truncated at byte ${at}`);
    yield { plain: unpackBlock(chunk.subarray(0, length), at), at, end: at + length };
    at += length;
  }
}

async function readAt(file: string, at: number): Promise<Buffer> {
  const handle = await open(file);
  try {
    const chunk = Buffer.allocUnsafe(65_536);
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, at);
    return chunk.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function unpackBlock(block: Buffer, at: number): Buffer {
  if (block.compare(head, 0, 16, 0, 16) !== 0) throw new Error(`it has no block at byte ${at}`);
  const plain = inflateRawSync(block.subarray(head.length, block.length - tailBytes));
  const isWhole = block.readUInt32LE(block.length - 4) === plain.length;
  if (!isWhole || crc32(plain) !== block.readUInt32LE(block.length - 8))
    throw new Error(`it is damaged at byte ${at}`);
  return plain;
}
