import { join } from 'node:path';
import { sqlite } from '@webfarer/coordinator';
import { WebfarerError } from '@webfarer/protocol';

export interface FolderLock {
  release(): void;
}

/**
 * An OS lock that dies with its process, however it dies: an exclusive SQLite transaction on a file of its
 * own. Holding it proves that nobody else is alive in this folder, so leases of a crashed run can be freed
 * at once.
 */
export function lockFolder(folder: string): FolderLock {
  const { DatabaseSync } = sqlite();
  const db = new DatabaseSync(join(folder, 'lock.db'));
  try {
    db.exec('PRAGMA busy_timeout = 0');
    db.exec('PRAGMA journal_mode = DELETE');
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    throw new WebfarerError('folder-busy', `another webfarer is working in ${folder}`, {
      next: `Wait for it or stop it. To look at it: webfarer status ${folder}`,
      cause: error,
    });
  }
  return { release: () => db.close() };
}
