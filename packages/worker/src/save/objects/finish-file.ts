import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ByteSource, openBytes } from '../../archive/bytes/byte-source.ts';
import { warcIndexLines } from '../../archive/index/warc-lines.ts';
import { writeSortedLines } from '../../archive/index/sorted-lines.ts';
import {
  type CatalogEntry,
  deletedKey,
  entryKey,
  erasedName,
  hostsKey,
  indexKey,
  keysOf,
  objectDir,
} from '../../archive/objects/layout.ts';
import { openStoredFile, type StoredFile, storedFile } from '../../archive/objects/stored-files.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import { uploadVerified } from './upload-object.ts';

export interface FinishedFile {
  store: ObjectStore;
  /** `NAME.warc.gz` */
  name: string;
  /** The object's name: the same, or that of a joined one. */
  object: string;
  open: () => Promise<ByteSource>;
  /** A folder of this machine for what is sorted. */
  scratch: string;
  /** Its worker has not completed it, and hosts are deleted from it. */
  unfinished: boolean;
}

/**
 * Makes one object of a file: uploads and verifies it, then its index, then its entry in the catalog. Only then are the
 * chunks and other objects removed whose bytes it has. May be repeated after any failure.
 */
export async function finishFile(file: FinishedFile): Promise<void> {
  const { store, name } = file;
  // Nobody reads it any more: upkeep removes its chunks.
  if (await store.head(deletedKey)) return;
  const source = await file.open();
  try {
    const before = await storedFile(store, name);
    const now = before && before.erasures > 0 ? behindErased(file, source, before) : file;
    if (before?.object?.name !== now.object || before.object.bytes < source.bytes) await upload(now);
    await removeCovered(store, name);
  } finally {
    await source.close();
  }
}

/** An object that counts in place of all others of its file, because hosts were deleted from it. */
export async function replaceFile(file: FinishedFile): Promise<void> {
  await upload(file);
  await removeCovered(file.store, file.name);
}

async function upload(file: FinishedFile): Promise<void> {
  const source = await file.open();
  try {
    await file.store.put(entryKey(file.object), await uploadFile(file, source));
  } finally {
    await source.close();
  }
}

/** Hosts were deleted from the beginning of the file while its worker could not be reached: only what is new is its. */
function behindErased(file: FinishedFile, source: ByteSource, before: StoredFile): FinishedFile {
  const { store, name } = file;
  const from = before.object?.bytes ?? 0;
  const stored = openStoredFile(store, before);
  const bytes = Math.max(from, source.bytes);
  const spliced: ByteSource = {
    bytes,
    blockBytes: stored.blockBytes,
    read: (start, length) =>
      start < from ? stored.read(start, Math.min(length, from - start)) : source.read(start, length),
    close: () => Promise.resolve(),
  };
  return {
    ...file,
    object: erasedName(name, { erasures: before.erasures, bytes }),
    open: () => Promise.resolve(spliced),
  };
}

async function uploadFile(
  { store, name, object, open, scratch, unfinished }: FinishedFile,
  source: ByteSource,
): Promise<Buffer> {
  const key = `${objectDir}${object}`;
  const { sha256 } = await uploadVerified(store, key, source);
  const folder = await mkdtemp(join(scratch, 'index-'));
  try {
    const index = join(folder, 'cdxj');
    const facts = { records: 0, hosts: new Set<string>() };
    const { lines } = await writeSortedLines(warcIndexLines(open, name, facts), index);
    const sorted = await openBytes(index);
    try {
      await uploadVerified(store, indexKey(object), sorted);
    } finally {
      await sorted.close();
    }
    await store.put(
      hostsKey(object),
      Buffer.from(
        [...facts.hosts]
          .sort()
          .map((host) => `${host}\n`)
          .join(''),
      ),
    );
    const entry: CatalogEntry = {
      format: 1,
      file: `archive/${name}`,
      object: key,
      bytes: source.bytes,
      sha256,
      records: facts.records,
      captures: lines,
      ...(unfinished ? { unfinished: true as const } : {}),
    };
    return Buffer.from(`${JSON.stringify(entry)}\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes chunks and objects of a file whose bytes are in the object that counts. Answers how many. */
export async function removeCovered(
  store: ObjectStore,
  name: string,
): Promise<{ chunks: number; objects: number }> {
  const file = await storedFile(store, name);
  return file ? await removeFrom(store, file) : { chunks: 0, objects: 0 };
}

async function removeFrom(
  store: ObjectStore,
  file: StoredFile,
): Promise<{ chunks: number; objects: number }> {
  const bytes = file.object?.bytes ?? 0;
  const covered = file.chunks.filter((chunk) => chunk.end <= bytes);
  for (const { key } of covered) await store.remove(key);
  for (const object of file.others) for (const key of keysOf(object)) await store.remove(key);
  return { chunks: covered.length, objects: file.others.length };
}
