import { open } from 'node:fs/promises';

/** Bytes that can be read at any place. */
export interface ByteSource {
  readonly bytes: number;
  /** How much to read at a time where it is read from front to back. */
  readonly blockBytes: number;
  /** From `start`, at most `length`; fewer at the end. */
  read(start: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** A file of this machine by its path, or anything else that can be opened. */
export type OpenBytes = string | (() => Promise<ByteSource>);

const fileBlockBytes = 256 * 1024;

export async function openBytes(from: OpenBytes): Promise<ByteSource> {
  return typeof from === 'string' ? await openFile(from) : await from();
}

async function openFile(path: string): Promise<ByteSource> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    return {
      bytes: size,
      blockBytes: fileBlockBytes,
      async read(start, length) {
        const buffer = Buffer.allocUnsafe(length);
        const { bytesRead } = await handle.read(buffer, 0, length, start);
        return buffer.subarray(0, bytesRead);
      },
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

const copyBytes = 4 * 1024 * 1024;

/** The bytes up to `end`, in pieces. */
export async function* firstBytes(from: OpenBytes, end: number): AsyncGenerator<Buffer> {
  const source = await openBytes(from);
  try {
    for (let at = 0; at < end; ) {
      const piece = await source.read(at, Math.min(copyBytes, end - at));
      if (piece.length === 0) return;
      at += piece.length;
      yield piece;
    }
  } finally {
    await source.close();
  }
}
