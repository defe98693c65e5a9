import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { renameDurably } from '@webfarer/protocol/node';
import { storageError } from '../disk/storage-error.ts';
import type { Piece } from './exact-member.ts';

/** What takes the place of a stretch of a file: exactly as long as it. */
export interface Replacement {
  from: number;
  to: number;
  pieces: readonly Piece[];
}

/** Ends the name of a file that is not complete yet; archives are never called so. */
export const erasingSuffix = '.erasing';

const copyBytes = 1_048_576;

/**
 * Writes the file anew beside itself with these stretches replaced, and puts it in its place when it is durable. After a
 * crash there is the old file or the new one, whole. Replacements are in order and do not overlap.
 */
export async function rewriteFile(path: string, replacements: readonly Replacement[]): Promise<void> {
  const beside = `${path}${erasingSuffix}`;
  try {
    const [source, { size }] = [await open(path, 'r'), await stat(path)];
    try {
      const target = await open(beside, 'w');
      try {
        let at = 0;
        for (const { from, to, pieces } of replacements) {
          await copy(source, target, { from: at, to: from });
          const end = await write(target, pieces, from);
          if (end !== to) throw new Error(`a stretch of ${to - from} bytes was replaced by ${end - from}`);
          at = to;
        }
        await copy(source, target, { from: at, to: size });
        await target.truncate(size);
        await target.sync();
      } finally {
        await target.close();
      }
    } finally {
      await source.close();
    }
    await renameDurably(beside, path);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined);
    throw storageError(error, `cannot rewrite ${path}`);
  }
}

async function copy(
  source: FileHandle,
  target: FileHandle,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.min(copyBytes, Math.max(1, to - from)));
  for (let at = from; at < to; ) {
    const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, to - at), at);
    if (bytesRead === 0) throw new Error(`the file ends at byte ${at}`);
    await writeAll(target, buffer.subarray(0, bytesRead), at);
    at += bytesRead;
  }
}

/** Zeros are skipped: the file system stores nothing for them. */
async function write(target: FileHandle, pieces: readonly Piece[], from: number): Promise<number> {
  let at = from;
  for (const piece of pieces) {
    if (Buffer.isBuffer(piece)) await writeAll(target, piece, at);
    at += Buffer.isBuffer(piece) ? piece.length : piece.zeros;
  }
  return at;
}

async function writeAll(target: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await target.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
