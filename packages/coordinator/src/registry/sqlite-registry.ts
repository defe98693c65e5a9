import { randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { type Clock, WebfarerError } from '@webfarer/protocol';
import { type Database, sqlite } from '../sqlite/node-sqlite.ts';
import { asStorageError } from '../sqlite/storage-error.ts';
import {
  checkId,
  checkLimit,
  type KeptHistory,
  keptHistory,
  mostDocs,
  mostPageBytes,
  noteCursor,
  type NotePlace,
  notePlaceIn,
  noteText,
  readNote,
  type Registry,
  type RegistryDoc,
  type RegistryKind,
  tooMany,
  valueText,
} from './registry.ts';

/** Raised with every change of the tables; a file of another version is refused. */
const version = 1;

const tables = `
CREATE TABLE docs (
  kind TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, changedAtMs INTEGER NOT NULL, text TEXT NOT NULL
);
CREATE UNIQUE INDEX docs_id ON docs (kind, id);
-- number: of the latest change
CREATE TABLE changes (
  kind TEXT NOT NULL, id TEXT NOT NULL, number INTEGER NOT NULL UNIQUE, PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE TABLE notes (place INTEGER PRIMARY KEY, ordinal INTEGER NOT NULL UNIQUE, text TEXT NOT NULL);
-- latest: the number of the latest change or entry of the log; forgotten: before it, changes are not known; noted:
-- entries of the log so far
CREATE TABLE meta (latest INTEGER NOT NULL, forgotten INTEGER NOT NULL, noted INTEGER NOT NULL);
`;

interface Row {
  kind: string;
  id: string;
  version: number;
  changedAtMs: number;
  text: string;
}

interface Meta {
  latest: number;
  forgotten: number;
  noted: number;
}

export interface SqliteRegistryOptions {
  path: string;
  clock: Pick<Clock, 'now'>;
  kept?: KeptHistory;
}

/** A registry in a file, `registry.db` in the data folder of a coordinator. Several processes may have it open. */
export function openSqliteRegistry(options: SqliteRegistryOptions): Registry {
  const { path, clock } = options;
  const db = openDatabase(path);
  const { notes: mostNotes, changes: mostChanges } = options.kept ?? keptHistory;
  // A restored copy has other changes under the same numbers, and is opened anew.
  const opening = randomUUID();
  const one = <T>(sql: string, ...values: (string | number)[]) =>
    db.prepare(sql).get(...values) as T | undefined;
  const run = (sql: string, ...values: (string | number)[]) => db.prepare(sql).run(...values);

  const meta = () => one<Meta>('SELECT * FROM meta') as Meta;
  const rowOf = (kind: RegistryKind, id: string) =>
    one<Row>('SELECT * FROM docs WHERE kind = ? AND id = ?', kind, id);

  async function answered<T>(work: () => T): Promise<T> {
    try {
      return work();
    } catch (error) {
      throw asStorageError(error, path);
    }
  }

  /** The work as one transaction, durable when it returns. */
  function transaction<T>(work: () => T): Promise<T> {
    return answered(() => {
      db.exec('BEGIN IMMEDIATE');
      try {
        const answer = work();
        db.exec('COMMIT');
        return answer;
      } catch (error) {
        if (db.isTransaction) db.exec('ROLLBACK');
        throw error;
      }
    });
  }

  /** At least the time in ms, so that a restored copy does not give out numbers for the second time. */
  function nextNumber(): number {
    const number = Math.max(meta().latest + 1, Math.round(clock.now()));
    run('UPDATE meta SET latest = ?', number);
    return number;
  }

  function changed(kind: RegistryKind, id: string): number {
    const number = nextNumber();
    run('INSERT OR REPLACE INTO changes VALUES (?, ?, ?)', kind, id, number);
    const last = one<{ number: number }>(
      'SELECT number FROM changes ORDER BY number DESC LIMIT 1 OFFSET ?',
      mostChanges,
    );
    if (last) {
      run('DELETE FROM changes WHERE number <= ?', last.number);
      run('UPDATE meta SET forgotten = ?', last.number);
    }
    return number;
  }

  function write(kind: RegistryKind, id: string, text: string, isNew: boolean): Row {
    const count = () => one<{ n: number }>('SELECT COUNT(*) AS n FROM docs WHERE kind = ?', kind)?.n ?? 0;
    if (isNew && count() >= mostDocs) throw tooMany(kind);
    const row = { kind, id, version: changed(kind, id), changedAtMs: Math.round(clock.now()), text };
    const { version: number, changedAtMs } = row;
    run(
      `INSERT INTO docs VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (kind, id) DO UPDATE SET version = excluded.version, changedAtMs = excluded.changedAtMs, text = excluded.text`,
      kind,
      id,
      number,
      changedAtMs,
      text,
    );
    return row;
  }

  return {
    get: (kind, id) => answered(() => docOrNone(rowOf(kind, id))),
    async list(kind, { after, limit }) {
      const most = checkLimit(limit);
      return await answered(() => {
        const rows = db
          .prepare('SELECT * FROM docs WHERE kind = ? AND id > ? ORDER BY id LIMIT ?')
          .iterate(kind, after, most + 1) as Iterable<unknown> as Iterable<Row>;
        const docs: RegistryDoc[] = [];
        let bytes = 0;
        for (const row of rows) {
          bytes += row.text.length;
          if (docs.length === most || (docs.length > 0 && bytes > mostPageBytes))
            return { docs, next: docs.at(-1)?.id };
          docs.push(docIn(row));
        }
        return { docs, next: undefined };
      });
    },
    async put(kind, id, known, value) {
      checkId(id);
      const text = valueText(value);
      return await transaction(() => {
        const row = rowOf(kind, id);
        if ((row?.version ?? 0) !== known) return { kind: 'stale', doc: docOrNone(row) };
        return { kind: 'changed', doc: docIn(write(kind, id, text, row === undefined)) };
      });
    },
    async remove(kind, id, known) {
      return await transaction(() => {
        const row = rowOf(kind, id);
        if (row?.version !== known) return { kind: 'stale', doc: docOrNone(row) };
        run('DELETE FROM docs WHERE kind = ? AND id = ?', kind, id);
        changed(kind, id);
        return { kind: 'changed', doc: docIn(row) };
      });
    },
    changes: (since) =>
      answered(() => {
        const { latest, forgotten } = meta();
        const [then, number] = since.split(' ');
        const known = then === opening ? Number(number) : -1;
        const answer = { generation: `${opening} ${latest}`, complete: false, changed: [] };
        if (!(known >= forgotten && known <= latest)) return answer;
        const rows = db
          .prepare('SELECT kind, id FROM changes WHERE number > ? ORDER BY number')
          .all(known) as unknown as Pick<RegistryDoc, 'kind' | 'id'>[];
        return { ...answer, complete: true, changed: rows.map(({ kind, id }) => ({ kind, id })) };
      }),
    async note(entry) {
      const text = noteText(entry);
      await transaction(() => {
        run('INSERT INTO notes VALUES (?, ?, ?)', nextNumber(), meta().noted + 1, text);
        run('UPDATE meta SET noted = noted + 1');
        run('DELETE FROM notes WHERE ordinal <= ?', meta().noted - mostNotes);
      });
    },
    async notes({ after, limit }) {
      const from = notePlaceIn(after);
      const most = checkLimit(limit);
      return await answered(() => {
        const rows = db
          .prepare('SELECT * FROM notes WHERE place > ? ORDER BY place LIMIT ?')
          .all(from.place, most + 1) as unknown as (NotePlace & { text: string })[];
        const page = rows.slice(0, most);
        const last = rows.length > most ? page.at(-1) : undefined;
        const forgotten = Math.max(0, meta().noted - mostNotes);
        return {
          entries: page.map(({ text }) => readNote(text)),
          next: last && noteCursor(last),
          dropped: Math.max(0, forgotten - from.ordinal),
        };
      });
    },
    close() {
      if (db.isOpen) db.close();
      return Promise.resolve();
    },
  };
}

function docIn({ kind, id, version: known, changedAtMs, text }: Row): RegistryDoc {
  return { kind: kind as RegistryKind, id, version: known, changedAtMs, value: JSON.parse(text) as unknown };
}

function docOrNone(row: Row | undefined): RegistryDoc | undefined {
  return row && docIn(row);
}

function openDatabase(path: string): Database {
  try {
    // It holds digests of tokens. SQLite gives its other files the same mode.
    if (path !== ':memory:') closeSync(openSync(path, 'a', 0o600));
    const db = new (sqlite().DatabaseSync)(path, { timeout: 10_000 });
    try {
      // secure_delete: nothing of a removed token stays in the file.
      db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
      prepare(db, path);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw asStorageError(error, path);
  }
}

function prepare(db: Database, path: string): void {
  const found = () => (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
  if (found() === 0) {
    db.exec('BEGIN IMMEDIATE');
    if (found() === 0)
      db.exec(`${tables}; INSERT INTO meta VALUES (0, 0, 0); PRAGMA user_version = ${version}`);
    db.exec('COMMIT');
  }
  if (found() === version) return;
  throw new WebfarerError('folder-foreign', `${path} is a registry of version ${found()}`, {
    next: `This program reads version ${version}. Use the program that made it, or another folder.`,
  });
}
