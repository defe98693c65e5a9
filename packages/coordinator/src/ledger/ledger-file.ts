import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import { type Database, sqlite } from '../frontier/sqlite/node-sqlite.ts';

const ledgerVersion = 1;

/**
 * All times in ms of the machine's clock. `at`: when the row was last written. `holder`: who has the host until
 * `held_until`, or had it last. `waiters`: who was refused and is expected to ask again before `expires`.
 */
const tables = `
CREATE TABLE hosts (
  host TEXT PRIMARY KEY, at REAL NOT NULL, not_before REAL NOT NULL, why TEXT NOT NULL, last_end REAL,
  held_until REAL NOT NULL, gap REAL NOT NULL, holder TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE waiters (
  host TEXT NOT NULL, owner TEXT NOT NULL, since REAL NOT NULL, expires REAL NOT NULL, PRIMARY KEY (host, owner)
) WITHOUT ROWID;
`;

/** Another process writes for less than a millisecond; only one that was stopped in the middle takes longer. */
const busyTimeoutMs = 100;
/** Primary result codes of SQLite for a file that is not what SQLite wrote. */
const damaged = new Set([11, 26]);

/** Opens the file, made if need be. What it holds is a few minutes of waiting, so a damaged one is begun anew. */
export function openLedgerFile(path: string): Database {
  try {
    if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return openOnce(path);
  } catch (error) {
    if (!damaged.has(codeOf(error))) throw asLedgerError(error, path);
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
    return openOnce(path);
  }
}

function openOnce(path: string): Database {
  const db = new (sqlite().DatabaseSync)(path, { timeout: 5_000 });
  try {
    // NORMAL: a commit survives the process at once, and a power cut only with the next checkpoint.
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE');
    const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
    if (version === 0) db.exec(`${tables}; PRAGMA user_version = ${ledgerVersion}`);
    db.exec('COMMIT');
    if (version !== 0 && version !== ledgerVersion)
      throw new WebfarerError(
        'storage',
        `${path} was written by another version of webfarer (ledger ${version})`,
        {
          next: 'End the crawls that use it, then delete the file.',
        },
      );
    db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** SQLite's primary result code, or 0. */
export function codeOf(error: unknown): number {
  return ((error as { errcode?: number }).errcode ?? 0) & 0xff;
}

/** The error as a person reads it. */
export function asLedgerError(error: unknown, path: string): Error {
  if (error instanceof WebfarerError) return error;
  const { message } = error as Error;
  return new WebfarerError('storage', `the host ledger ${path} cannot be used: ${message}`, {
    cause: error,
    next: 'Free space or correct the permissions. Or set WEBFARER_STATE to another folder.',
  });
}
