import {
  catalogDir,
  deletedKey,
  entryKey,
  fileOf,
  indexDir,
  joinedName,
  objectDir,
} from '../../archive/objects/layout.ts';
import { openStoredFile, type StoredFile, storedFiles } from '../../archive/objects/stored-files.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import { purgeObjects } from './delete-objects.ts';
import { finishFile, removeCovered } from './finish-file.ts';

export interface UpkeepOptions {
  store: ObjectStore;
  nowMs: number;
  /** What was changed later than this may belong to a worker that is at it. */
  graceMs: number;
  /** A folder of this machine for temporary files. */
  scratch: string;
}

export interface UpkeepReport {
  /** Files whose chunks were joined into an object. */
  joined: number;
  /** Files that are still written, or were until a moment ago. */
  open: number;
  chunksRemoved: number;
  objectsRemoved: number;
  uploadsAborted: number;
  /** Files of which a chunk in the middle is missing: what is behind it is left as it is. */
  gaps: { file: string; at: number; bytesBehind: number }[];
}

/**
 * Puts an archive in order after workers that are gone: joins what they left in chunks, removes what is in an object
 * already, aborts uploads that nobody completes. Safe beside workers that are at work, and beside another upkeep.
 */
export async function tidyObjects(options: UpkeepOptions): Promise<UpkeepReport> {
  const { store } = options;
  const report: UpkeepReport = {
    joined: 0,
    open: 0,
    chunksRemoved: 0,
    objectsRemoved: 0,
    uploadsAborted: 0,
    gaps: [],
  };
  if (await store.head(deletedKey)) return { ...report, objectsRemoved: await purgeObjects(store) };
  for (const file of await storedFiles(store)) await tidyFile(file, options, report);
  report.objectsRemoved += await removeUncatalogued(options);
  const oldest = options.nowMs - options.graceMs;
  for await (const upload of store.uploads('')) {
    if (upload.begunAtMs > oldest) continue;
    await store.abortUpload(upload);
    report.uploadsAborted++;
  }
  return report;
}

async function tidyFile(file: StoredFile, options: UpkeepOptions, report: UpkeepReport): Promise<void> {
  const { store, nowMs, graceMs, scratch } = options;
  const { name, bytes } = file;
  if (file.behindGap > 0) report.gaps.push({ file: name, at: bytes, bytesBehind: file.behindGap });
  if (bytes > (file.object?.bytes ?? 0)) {
    if (file.writtenAtMs > nowMs - graceMs) {
      report.open++;
      return;
    }
    const open = () => Promise.resolve(openStoredFile(store, file));
    await finishFile({ store, name, object: joinedName(name, bytes), open, scratch, unfinished: false });
    report.joined++;
    report.chunksRemoved += file.chunks.filter(({ end }) => end <= bytes).length;
    return;
  }
  const removed = await removeCovered(store, name);
  report.chunksRemoved += removed.chunks;
  report.objectsRemoved += removed.objects;
}

/** Uploads that were completed and never verified: the chunks still have what is in them. */
export async function removeUncatalogued({
  store,
  nowMs,
  graceMs,
}: Omit<UpkeepOptions, 'scratch'>): Promise<number> {
  const verified = new Set<string>();
  for await (const { key } of store.list(catalogDir))
    verified.add(key.slice(catalogDir.length).replace(/\.json$/, ''));
  let removed = 0;
  const isStray = (object: string, modifiedAtMs: number) =>
    !verified.has(object) && modifiedAtMs <= nowMs - graceMs && fileOf(object).endsWith('.warc.gz');
  for await (const { key, modifiedAtMs } of store.list(objectDir)) {
    const object = key.slice(objectDir.length);
    // Asked once more: it may have been verified since.
    if (!isStray(object, modifiedAtMs) || (await store.head(entryKey(object)))) continue;
    await store.remove(key);
    removed++;
  }
  for await (const { key, modifiedAtMs } of store.list(indexDir)) {
    const object = key.slice(indexDir.length).replace(/\.(?:cdxj|hosts)$/, '');
    if (isStray(object, modifiedAtMs)) await store.remove(key);
  }
  return removed;
}
