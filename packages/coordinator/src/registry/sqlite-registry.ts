import { randomUUID } from 'node:crypto';
import type { DatedClock } from '@webfarer/protocol';
import { openSmallDatabase } from '../sqlite/small-database.ts';
import {
  checkId,
  checkLimit,
  type KeptHistory,
  keptHistory,
  mostDocs,
  mostPageBytes,
  auditPage,
  droppedOn,
  noteCursor,
  type NotePlace,
  notePlaceIn,
  noteText,
  type Registry,
  type RegistryDoc,
  type RegistryKind,
  tooMany,
  readValue,
  valueText,
} from './registry.ts';

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
  clock: Pick<DatedClock, 'wall'>;
  kept?: KeptHistory;
}

/** A registry in a file, `registry.db` in the data folder of a coordinator. Several processes may have it open. */
export function openSqliteRegistry(options: SqliteRegistryOptions): Registry {
  const { path, clock } = options;
  const file = openSmallDatabase({
    path,
    what: 'registry',
    version,
    create: (db) => db.exec(`${tables}; INSERT INTO meta VALUES (0, 0, 0)`),
  });
  const { one, many, each, run, reading, transaction } = file;
  const { notes: mostNotes, changes: mostChanges } = options.kept ?? keptHistory;
  // A restored copy has other changes under the same numbers, and is opened anew.
  const opening = randomUUID();

  const meta = () => one<Meta>('SELECT * FROM meta') as Meta;
  const rowOf = (kind: RegistryKind, id: string) =>
    one<Row>('SELECT * FROM docs WHERE kind = ? AND id = ?', kind, id);

  /** At least the time in ms, so that a restored copy does not give out numbers for the second time. */
  function nextNumber(): number {
    const number = Math.max(meta().latest + 1, Math.round(clock.wall()));
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
    const row = { kind, id, version: changed(kind, id), changedAtMs: Math.round(clock.wall()), text };
    run(
      `INSERT INTO docs VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (kind, id) DO UPDATE SET version = excluded.version, changedAtMs = excluded.changedAtMs, text = excluded.text`,
      kind,
      id,
      row.version,
      row.changedAtMs,
      text,
    );
    return row;
  }

  return {
    get: (kind, id) => reading(() => docOrNone(rowOf(kind, id))),
    async list(kind, { after, limit }) {
      const most = checkLimit(limit);
      return await reading(() => {
        const sql = 'SELECT * FROM docs WHERE kind = ? AND id > ? ORDER BY id LIMIT ?';
        const rows = each<Row>(sql, kind, after, most + 1);
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
      reading(() => {
        const { latest, forgotten } = meta();
        const [then, number] = since.split(' ');
        const known = then === opening ? Number(number) : -1;
        const nowMs = Math.round(clock.wall());
        const answer = { generation: `${opening} ${latest}`, complete: false, changed: [], nowMs };
        if (!(known >= forgotten && known <= latest)) return answer;
        const sql = 'SELECT kind, id FROM changes WHERE number > ? ORDER BY number';
        const rows = many<Pick<RegistryDoc, 'kind' | 'id'>>(sql, known);
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
    async notes(page) {
      const { place } = notePlaceIn(page.after);
      checkLimit(page.limit);
      const look = checkLimit(page.look);
      return await reading(() => {
        const sql =
          page.order === 'oldest'
            ? 'SELECT * FROM notes WHERE place > ? ORDER BY place LIMIT ?'
            : 'SELECT * FROM notes WHERE place < ? ORDER BY place DESC LIMIT ?';
        const isFromEnd = page.order === 'newest' && page.after === '';
        const from = isFromEnd ? Number.MAX_SAFE_INTEGER : place;
        const rows = many<NotePlace & { text: string }>(sql, from, look + 1);
        const found = auditPage(
          rows.map((row) => ({ cursor: noteCursor(row), text: row.text })),
          page,
        );
        const forgotten = Math.max(0, meta().noted - mostNotes);
        return { ...found, dropped: droppedOn(page, { next: found.next, forgotten }) };
      });
    },
    close: () => file.close(),
  };
}

function docIn({ kind, id, version: known, changedAtMs, text }: Row): RegistryDoc {
  const of = kind as RegistryKind;
  return { kind: of, id, version: known, changedAtMs, value: readValue(of, text) };
}

function docOrNone(row: Row | undefined): RegistryDoc | undefined {
  return row && docIn(row);
}
