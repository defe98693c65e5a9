import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import { type Database, sqlite } from '../sqlite/node-sqlite.ts';

const ledgerVersion = 3;

/**
 * All times in ms of the machine's clock. `at`: when the row was last written. `holder`: who has the host until
 * `held_until`, or had it last. `process`: with which the claim dies, if with any. `waiters`: who was refused, and is
 * expected to ask again before `expires`; its place in line goes by the last turn of its team, then by `since`: when it had
 * its own last turn, or was first refused. `turns`: when each team had its last turn, where several owners asked.
 */
const tables = `
CREATE TABLE hosts (
  host TEXT PRIMARY KEY, at REAL NOT NULL, not_before REAL NOT NULL, why TEXT NOT NULL, last_end REAL,
  held_until REAL NOT NULL, gap REAL NOT NULL, holder TEXT NOT NULL, process TEXT
) WITHOUT ROWID;
CREATE TABLE waiters (
  host TEXT NOT NULL, owner TEXT NOT NULL, since REAL NOT NULL, expires REAL NOT NULL, team TEXT NOT NULL,
  PRIMARY KEY (host, owner)
) WITHOUT ROWID;
CREATE TABLE turns (
  host TEXT NOT NULL, team TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (host, team)
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
    // What an older version wrote is as good as nothing: a few minutes of waiting.
    if (version < ledgerVersion)
      db.exec(
        `DROP TABLE IF EXISTS hosts; DROP TABLE IF EXISTS waiters; DROP TABLE IF EXISTS turns; ${tables}; PRAGMA user_version = ${ledgerVersion}`,
      );
    db.exec('COMMIT');
    if (version > ledgerVersion)
      throw new WebfarerError('storage', `${path} was written by a newer webfarer (ledger ${version})`, {
        next: 'Upgrade this one. Or end the crawls that use the file, then delete it.',
      });
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
    next: 'Free some space or fix the permissions. Or set WEBFARER_STATE to another folder.',
  });
}
