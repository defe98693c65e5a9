import { systemClock } from '@webfarer/protocol';
import type { Database } from '../../sqlite/node-sqlite.ts';
import { asStorageError } from '../../sqlite/storage-error.ts';

/** A reader in another process may be in the middle of something. */
const patienceMs = 60_000;
const againMs = 100;

/**
 * Writes the file anew without what was deleted from it: SQLite only marks deleted rows as free space, where their bytes
 * can be read for years. Takes as much room on the disk again, and holds up the process meanwhile.
 */
export async function compact(db: Database): Promise<void> {
  const clock = systemClock();
  const until = clock.now() + patienceMs;
  try {
    if (db.location() === null) return;
    while (db.isTransaction) await new Promise((resolve) => setImmediate(resolve));
    db.exec('VACUUM');
    // The log has the old pages until it is written back, which nobody may be reading then.
    for (;;) {
      const { busy } = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number };
      if (busy === 0) return;
      if (clock.now() >= until) throw new Error('another process keeps reading the file');
      await clock.sleep(againMs);
    }
  } catch (error) {
    throw asStorageError(error, db.location() ?? '');
  }
}
