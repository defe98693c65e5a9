import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { moveFile, nameFile } from './move-file.ts';

/** What `writeDurably` writes. The pieces are written one after the other. */
export type FileContent = string | Uint8Array | readonly Uint8Array[];

export interface DurableOptions {
  /** Permissions of the file: 0o600 for secrets. */
  mode?: number;
}

/**
 * Replaces a small file so that a crash or a power cut at any moment leaves the old content or the new one, never a
 * part: write a temporary file beside it, fsync, rename, fsync the folder. When this resolves, the disk has it.
 */
export async function writeDurably(
  file: string,
  content: FileContent,
  options: DurableOptions = {},
): Promise<void> {
  await withTemporary(file, content, options, (fresh) => moveFile(fresh, file));
}

/** The same for a file that must not exist yet. False: it does, and stays as it was. */
export async function createDurably(
  file: string,
  content: FileContent,
  options: DurableOptions = {},
): Promise<boolean> {
  let created = true;
  await withTemporary(file, content, options, async (fresh) => {
    created = await nameFile(fresh, file);
  });
  return created;
}

/** Gives a file that was written under a temporary name its own, durably. */
export async function renameDurably(fresh: string, file: string): Promise<void> {
  const handle = await open(fresh, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  await moveFile(fresh, file);
  await syncFolder(dirname(file));
}

/** A temporary file that a crash may have left behind. */
export const isTemporaryName = (name: string): boolean => /\.[0-9a-f]{8}\.new$/.test(name);

/** A name of its own for each write: two writers of one file must not share a temporary file. */
async function withTemporary(
  file: string,
  content: FileContent,
  { mode = 0o666 }: DurableOptions,
  place: (fresh: string) => Promise<void>,
): Promise<void> {
  const fresh = `${file}.${randomBytes(4).toString('hex')}.new`;
  try {
    const handle = await open(fresh, 'wx', mode);
    try {
      for (const piece of piecesOf(content)) await handle.writeFile(piece);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await place(fresh);
  } finally {
    await rm(fresh, { force: true });
  }
  await syncFolder(dirname(file));
}

function piecesOf(content: FileContent): readonly (string | Uint8Array)[] {
  return typeof content === 'string' || content instanceof Uint8Array ? [content] : content;
}

/** Makes creations and renames in a folder durable. Systems that cannot open a folder do this by themselves. */
export async function syncFolder(path: string): Promise<void> {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    if (['EISDIR', 'EPERM', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return;
    throw error;
  }
  try {
    await handle.sync();
  } catch (error) {
    if (!['EINVAL', 'EPERM', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await handle.close();
  }
}

/**
 * Creates a folder with its parents, durably. One level at a time: Node's own `recursive` never returns below /proc,
 * where a folder can be neither found nor made.
 */
export async function makeFolder(path: string): Promise<void> {
  if (await isFolder(path)) return;
  if (dirname(path) !== path) await makeFolder(dirname(path));
  await mkdir(path).catch(async (error: NodeJS.ErrnoException) => {
    // Another process may have been first.
    if (error.code !== 'EEXIST' || !(await isFolder(path))) throw error;
  });
  await syncFolder(dirname(path));
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

/** Writes a file through a stream. It appears whole, or the one before it stays. */
export async function writeWhole<T>(path: string, write: (out: Writable) => Promise<T>): Promise<T> {
  const fresh = `${path}.new`;
  const out = fileStream(fresh);
  try {
    const result = await write(out);
    await finished(out.end());
    await renameDurably(fresh, path);
    return result;
  } catch (error) {
    out.destroy();
    await rm(fresh, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** To be written with `writePiece`: an error that comes between two pieces is thrown by the next one, and ends no process. */
export function fileStream(path: string): Writable {
  return createWriteStream(path).on('error', () => undefined);
}

/** At the pace at which the stream takes it. */
export async function writePiece(out: Writable, piece: string | Uint8Array): Promise<void> {
  if (out.errored) throw out.errored;
  if (!out.write(piece)) await once(out, 'drain');
}
