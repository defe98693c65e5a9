import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { WebfarerError } from '@webfarer/protocol';
import type { HostMatch } from '@webfarer/protocol/url';
import { firstBytes, openBytes } from '../../archive/bytes/byte-source.ts';
import {
  type CatalogEntry,
  entryKey,
  erasedName,
  hostsKey,
  objectDir,
} from '../../archive/objects/layout.ts';
import { openStoredFile, type StoredFile, storedFiles } from '../../archive/objects/stored-files.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import { removeCovered, replaceFile } from '../../save/objects/finish-file.ts';
import { removeUncatalogued } from '../../save/objects/upkeep.ts';
import type { ArchiveErasing } from '../erase-archive.ts';
import { eraseWarc } from '../erase-warc.ts';

export interface ObjectErasingOptions {
  store: ObjectStore;
  match: HostMatch;
  nowMs: number;
  /** A folder of this machine with room for the largest object. */
  scratch: string;
}

export interface ObjectErasing extends ArchiveErasing {
  /** Objects that were written anew. */
  rewritten: number;
}

/**
 * Takes the captures of a host out of the archive of a crawl that nobody works on. An object that names the host is copied
 * without it under a new name, verified and indexed; its entry in the catalog is the one step after which readers use it,
 * and then the old one goes. A run that was cut off leaves the old or the new in the catalog, and is run again.
 */
export async function eraseObjects(options: ObjectErasingOptions): Promise<ObjectErasing> {
  const { store, match } = options;
  const sum: ObjectErasing = { captures: 0, bytes: 0, files: 0, rewritten: 0, left: [] };
  // What is not complete and not verified is in chunks as well, or is left of a run that was cut off.
  for await (const upload of store.uploads('')) await store.abortUpload(upload);
  await removeUncatalogued({ store, nowMs: Number.POSITIVE_INFINITY, graceMs: 0 });
  for (const file of await storedFiles(store)) {
    sum.files++;
    if (await mayName(store, file, match)) {
      const unfinished = await isUnfinished(store, file);
      const isErased = await eraseObject(file, { ...options, unfinished }, sum);
      if (isErased && unfinished) sum.left.push(onDisk(file, match));
    } else if (file.others.length > 0) await removeCovered(store, file.name);
    if (file.behindGap > 0)
      sum.left.push(
        `${file.behindGap} bytes behind a missing chunk of ${file.name}, which cannot be read: remove the objects chunks/${file.name}/`,
      );
  }
  return sum;
}

/** Its worker ended without completing it. */
async function isUnfinished(
  store: ObjectStore,
  { name, bytes, object, erasures }: StoredFile,
): Promise<boolean> {
  if (object?.bytes !== bytes) return true;
  if (erasures === 0) return object.name !== name;
  const text = await store.get(entryKey(object.name), { start: 0, end: 100_000 });
  return (JSON.parse(text.toString('utf8')) as CatalogEntry).unfinished === true;
}

/** The worker may come back, and its disk may be read. */
function onDisk({ name }: StoredFile, { pattern }: HostMatch): string {
  return `${name} on the disk of a worker that did not complete it: run webfarer forget ${pattern} in the folder of the crawl there, or delete that folder`;
}

/** Files in which records name the host, by their indexes; those without a complete one have to be read. */
export async function filesNaming(store: ObjectStore, match: HostMatch): Promise<StoredFile[]> {
  const found: StoredFile[] = [];
  for (const file of await storedFiles(store)) if (await mayName(store, file, match)) found.push(file);
  return found;
}

const listBytes = 4 * 1024 * 1024;

async function mayName(store: ObjectStore, file: StoredFile, match: HostMatch): Promise<boolean> {
  const { object, bytes } = file;
  if (object?.bytes !== bytes) return true;
  let rest = '';
  for (let start = 0; ; start += listBytes) {
    const piece = await store.get(hostsKey(object.name), { start, end: start + listBytes }).catch(absent);
    // An object of a version that kept no such list.
    if (!piece) return true;
    const lines = `${rest}${piece.toString('latin1')}`.split('\n');
    rest = lines.pop() ?? '';
    if (lines.some((host) => match.host(host as Parameters<HostMatch['host']>[0]))) return true;
    if (piece.length < listBytes) return false;
  }
}

function absent(error: unknown): undefined {
  if (error instanceof WebfarerError && error.code === 'not-found') return undefined;
  throw error;
}

async function eraseObject(
  file: StoredFile,
  { store, match, nowMs, scratch, unfinished }: ObjectErasingOptions & { unfinished: boolean },
  sum: ObjectErasing,
): Promise<boolean> {
  const { name, bytes, erasures, object } = file;
  const folder = await mkdtemp(join(scratch, 'erasing-'));
  try {
    const path = join(folder, name);
    await pipeline(
      firstBytes(() => Promise.resolve(openStoredFile(store, file)), bytes),
      createWriteStream(path),
    );
    const found = await eraseWarc(path, { match, nowMs });
    if (!found.changed) {
      if (file.others.length > 0) await removeCovered(store, name);
      return false;
    }
    await replaceFile({
      store,
      name,
      object: erasedName(name, { erasures: erasures + 1, bytes }),
      open: () => openBytes(path),
      scratch: folder,
      unfinished,
    });
    sum.rewritten++;
    sum.captures += found.captures;
    sum.bytes += found.bytes;
    return true;
  } catch (error) {
    throw atObject(error, `${store.address}/${objectDir}${object?.name ?? name}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Says which object it was, in the words of what went wrong. */
function atObject(error: unknown, at: string): unknown {
  if (error instanceof WebfarerError) return error;
  return new WebfarerError('storage', `${at} could not be rewritten: ${(error as Error).message}`, {
    next: 'Fix that, then run the same command again: it resumes where it was.',
    cause: error,
  });
}
