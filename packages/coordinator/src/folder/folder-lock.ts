import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import { sqlite } from '../sqlite/node-sqlite.ts';
import { asStorageError } from '../sqlite/storage-error.ts';

export interface FolderLock {
  release(): void;
}

/** The locks of a folder, with what SQLite leaves beside them: of the crawl, and of each of its worker processes. */
export const lockNames = /^lock(-\d+)?\.db(-journal)?$/;
/** SQLite's result code. */
const busy = 5;
const workerLock = /^lock-\d+\.db$/;
/** Worker processes end by themselves when the process that started them is gone; this is ample time for it. */
const ENDING_MS = 5_000;

/**
 * An OS lock that dies with its process, however it dies: an exclusive SQLite transaction on a file of its
 * own. Holding it proves that nobody else is alive in this folder, so leases of a crashed run can be freed
 * at once. Each worker process holds one of its own, because for a moment it may outlive who started it.
 */
export function lockFolder(folder: string, process?: number): FolderLock {
  if (process !== undefined) return lockFile(folder, { name: `lock-${process}.db`, patienceMs: ENDING_MS });
  const lock = lockFile(folder, { name: 'lock.db', patienceMs: 0 });
  try {
    for (const name of readdirSync(folder).filter((file) => workerLock.test(file)))
      lockFile(folder, { name, patienceMs: ENDING_MS }).release();
  } catch (error) {
    lock.release();
    throw error;
  }
  return lock;
}

function lockFile(folder: string, { name, patienceMs }: { name: string; patienceMs: number }): FolderLock {
  const { DatabaseSync } = sqlite();
  const db = new DatabaseSync(join(folder, name));
  try {
    db.exec(`PRAGMA busy_timeout = ${patienceMs}`);
    db.exec('PRAGMA journal_mode = DELETE');
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if (((error as { errcode?: number }).errcode ?? 0) % 256 !== busy)
      throw asStorageError(error, join(folder, name));
    throw new WebfarerError('folder-busy', `another webfarer process uses ${folder}`, {
      next: `Wait until it ends, or stop it. Its progress:  webfarer status ${folder}`,
      cause: error,
    });
  }
  return { release: () => db.close() };
}
