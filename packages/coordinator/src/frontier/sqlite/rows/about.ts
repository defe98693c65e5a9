import { type Database, sqlite } from '../../../sqlite/node-sqlite.ts';
import { asStorageError } from '../../../sqlite/storage-error.ts';

const key = 'about';

/**
 * Keeps a text about the crawl inside its own file, so that a folder that lost its description can be told what it
 * is. Over a connection of its own: the process that crawls, or any other that holds the folder's lock, may call it.
 */
export function writeAbout(path: string, text: string): void {
  withDatabase(path, { readOnly: false }, (db) => {
    db.exec('PRAGMA synchronous = FULL');
    db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(key, text);
  });
}

/** Undefined where the file holds no such text, or is no crawl at all. */
export function readAbout(path: string): string | undefined {
  return withDatabase(path, { readOnly: true }, (db) => {
    const hasMeta = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").get() !== undefined;
    const row = hasMeta ? db.prepare('SELECT value FROM meta WHERE key = ?').get(key) : undefined;
    return (row as { value: string } | undefined)?.value;
  });
}

function withDatabase<T>(path: string, options: { readOnly: boolean }, use: (db: Database) => T): T {
  let db: Database | undefined;
  try {
    db = new (sqlite().DatabaseSync)(path, { ...options, timeout: 10_000 });
    return use(db);
  } catch (error) {
    throw asStorageError(error, path);
  } finally {
    db?.close();
  }
}
