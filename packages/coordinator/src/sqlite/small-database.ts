import { closeSync, openSync } from 'node:fs';
import { WebfarerError } from '@webfarer/protocol';
import { type Database, sqlite } from './node-sqlite.ts';
import { asStorageError } from './storage-error.ts';

export interface SmallDatabaseOptions {
  /** Of the file, made if need be, or `:memory:`. */
  path: string;
  /** What a person calls such a file: `catalog`. */
  what: string;
  /** Raised with every change of the tables; a file of another version is refused. */
  version: number;
  /** Makes the tables of a new file. */
  create: (db: Database) => void;
}

type Value = string | number;

/** A few tables that several processes may have open. Errors of SQLite are told as storage trouble. */
export interface SmallDatabase {
  one<T>(sql: string, ...values: Value[]): T | undefined;
  many<T>(sql: string, ...values: Value[]): T[];
  /** Row by row: a caller that stops early reads no further. */
  each<T>(sql: string, ...values: Value[]): Iterable<T>;
  run(sql: string, ...values: Value[]): void;
  reading<T>(work: () => T): Promise<T>;
  /** The work as one transaction, durable when it resolves. */
  transaction<T>(work: () => T): Promise<T>;
  close(): Promise<void>;
}

export function openSmallDatabase(options: SmallDatabaseOptions): SmallDatabase {
  const { path } = options;
  const db = openFile(options);

  async function reading<T>(work: () => T): Promise<T> {
    try {
      return work();
    } catch (error) {
      throw asStorageError(error, path);
    }
  }

  return {
    one: <T>(sql: string, ...values: Value[]) => db.prepare(sql).get(...values) as T | undefined,
    many: <T>(sql: string, ...values: Value[]) => db.prepare(sql).all(...values) as unknown as T[],
    each: <T>(sql: string, ...values: Value[]) =>
      db.prepare(sql).iterate(...values) as Iterable<unknown> as Iterable<T>,
    run: (sql, ...values) => void db.prepare(sql).run(...values),
    reading,
    transaction: (work) =>
      reading(() => {
        db.exec('BEGIN IMMEDIATE');
        try {
          const answer = work();
          db.exec('COMMIT');
          return answer;
        } catch (error) {
          if (db.isTransaction) db.exec('ROLLBACK');
          throw error;
        }
      }),
    close() {
      if (db.isOpen) db.close();
      return Promise.resolve();
    },
  };
}

function openFile(options: SmallDatabaseOptions): Database {
  const { path } = options;
  try {
    // Some hold digests of tokens: only the owner reads them. SQLite gives its other files the same mode.
    if (path !== ':memory:') closeSync(openSync(path, 'a', 0o600));
    const db = new (sqlite().DatabaseSync)(path, { timeout: 10_000 });
    try {
      // secure_delete: nothing of what was removed stays in the file.
      db.exec(
        'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA secure_delete = ON',
      );
      prepare(db, options);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw asStorageError(error, path);
  }
}

function prepare(db: Database, { path, what, version, create }: SmallDatabaseOptions): void {
  const found = () => (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
  if (found() === 0) {
    db.exec('BEGIN IMMEDIATE');
    if (found() === 0) {
      create(db);
      db.exec(`PRAGMA user_version = ${version}`);
    }
    db.exec('COMMIT');
  }
  if (found() === version) return;
  throw new WebfarerError('folder-foreign', `${path} is a ${what} of version ${found()}`, {
    next: `This program reads version ${version}. Use the program that made it, or another folder.`,
  });
}
