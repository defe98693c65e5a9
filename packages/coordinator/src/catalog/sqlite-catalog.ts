import { randomUUID } from 'node:crypto';
import type { CrawlId } from '@webfarer/protocol';
import { openSmallDatabase } from '../sqlite/small-database.ts';
import {
  type Catalog,
  type CatalogEntry,
  type CatalogQuery,
  checkTags,
  cursorAt,
  entryText,
  keptChanges,
  keptRemovals,
  lookedAt,
  lookedAtOnce,
  type NewEntry,
  placeIn,
  readEntryText,
  removalDigest,
  removedEntry,
  type EntryState,
} from './catalog.ts';

const version = 1;

/** The place of an entry is the number of the change that created it. */
const tables = `
CREATE TABLE crawls (
  place INTEGER PRIMARY KEY, version INTEGER NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL,
  nonce TEXT NOT NULL UNIQUE, wanted TEXT NOT NULL, tags TEXT NOT NULL, text TEXT NOT NULL
);
CREATE UNIQUE INDEX crawls_id ON crawls (id) WHERE wanted <> 'deleted';
CREATE UNIQUE INDEX crawls_name ON crawls (name) WHERE wanted <> 'deleted';
CREATE INDEX crawls_wanted ON crawls (wanted, place);
CREATE INDEX crawls_version ON crawls (version);
CREATE TABLE tags (tag TEXT NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (tag, place)) WITHOUT ROWID;
-- Digests of the nonces of removed entries; id: in the order of their removal.
CREATE TABLE removed (id INTEGER PRIMARY KEY AUTOINCREMENT, digest TEXT NOT NULL UNIQUE);
-- file: names this file; generation: the number of the latest change; forgotten: before it, changes are not known
CREATE TABLE meta (file TEXT NOT NULL, generation INTEGER NOT NULL, forgotten INTEGER NOT NULL);
`;

interface Row {
  place: number;
  version: number;
  id: string;
  name: string;
  nonce: string;
  wanted: string;
  tags: string;
  text: string;
}

interface Meta {
  file: string;
  generation: number;
  forgotten: number;
}

/** A catalog in a file, `catalog.db` in the data folder of a coordinator. Several processes may have it open. */
export function openSqliteCatalog(path: string): Catalog {
  const file = openSmallDatabase({
    path,
    what: 'catalog',
    version,
    create(db) {
      db.exec(tables);
      db.prepare('INSERT INTO meta VALUES (?, 0, 0)').run(randomUUID());
    },
  });
  const { one, run, reading, transaction } = file;
  const many = file.many<Row>;

  const meta = () => one<Meta>('SELECT * FROM meta') as Meta;
  const live = (field: 'id' | 'name' | 'nonce', value: string) =>
    one<Row>(`SELECT * FROM crawls WHERE ${field} = ? AND wanted <> 'deleted'`, value);

  const isRemoved = (nonce: string) =>
    one('SELECT 1 FROM removed WHERE digest = ?', removalDigest(nonce)) !== undefined;

  function nextVersion(): number {
    run('UPDATE meta SET generation = generation + 1');
    return meta().generation;
  }

  function setTags(place: number, tags: readonly string[]): void {
    run('DELETE FROM tags WHERE place = ?', place);
    for (const tag of tags) run('INSERT INTO tags VALUES (?, ?)', tag, place);
  }

  function insert(entry: NewEntry): Row {
    const { id, name, nonce, wanted, tags } = entry;
    const place = nextVersion();
    const text = entryText(entry);
    run(
      'INSERT INTO crawls VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      place,
      place,
      id,
      name,
      nonce,
      wanted,
      JSON.stringify(tags),
      text,
    );
    setTags(place, tags);
    return live('nonce', nonce) as Row;
  }

  /** Rows behind the place, at most so many, by the index that leaves the fewest to look at. */
  function behind(place: number, { states, tags, limit }: CatalogQuery): Row[] {
    const most = lookedAt({ tags, limit }) + 1;
    const [tag] = tags;
    if (tag !== undefined)
      return many(
        `SELECT crawls.* FROM tags JOIN crawls USING (place) WHERE tag = ? AND place > ? ORDER BY place LIMIT ?`,
        tag,
        place,
        most,
      );
    if (states.length === 0)
      return many('SELECT * FROM crawls WHERE place > ? ORDER BY place LIMIT ?', place, most);
    const all = states.flatMap((state) =>
      many('SELECT * FROM crawls WHERE wanted = ? AND place > ? ORDER BY place LIMIT ?', state, place, most),
    );
    return all.toSorted((a, b) => a.place - b.place);
  }

  return {
    async create(entry) {
      checkTags(entry.tags);
      return await transaction(() => {
        const past = one<Row>(`SELECT * FROM crawls WHERE nonce = ? AND wanted = 'deleted'`, entry.nonce);
        if (past) return { created: false, entry: entryIn(past) };
        if (isRemoved(entry.nonce)) return { created: false, entry: removedEntry(entry) };
        const there = live('id', entry.id) ?? live('name', entry.name);
        return { created: !there, entry: entryIn(there ?? insert(entry)) };
      });
    },
    get: (id) => reading(() => entryOrNone(live('id', id))),
    find: (name) => reading(() => entryOrNone(live('name', name))),
    async list(query) {
      const { after, limit, states, tags } = query;
      const from = placeIn(after);
      return await reading(() => {
        const found = behind(from, query);
        const entries: CatalogEntry[] = [];
        for (const [i, row] of found.entries()) {
          if (entries.length === limit || i === lookedAtOnce)
            return { entries, next: cursorAt(found[i - 1]?.place ?? from) };
          const entry = entryIn(row);
          const isWanted = states.length === 0 || states.includes(entry.wanted);
          if (isWanted && tags.every((tag) => entry.tags.includes(tag))) entries.push(entry);
        }
        return { entries, next: undefined };
      });
    },
    async change(id, known, change) {
      checkTags(change.tags ?? []);
      return await transaction(() => {
        const row = live('id', id);
        if (!row) return { kind: 'gone' };
        if (row.version !== known) return { kind: 'stale', entry: entryIn(row) };
        const entry = { ...entryIn(row), ...change, version: nextVersion() };
        run(
          'UPDATE crawls SET version = ?, wanted = ?, tags = ?, text = ? WHERE place = ?',
          entry.version,
          entry.wanted,
          JSON.stringify(entry.tags),
          entryText(entry),
          row.place,
        );
        setTags(row.place, entry.tags);
        return { kind: 'changed', entry };
      });
    },
    async remove(nonce) {
      await transaction(() => {
        const row = one<Row>(`SELECT * FROM crawls WHERE nonce = ? AND wanted = 'deleted'`, nonce);
        if (!row) return;
        run('DELETE FROM tags WHERE place = ?', row.place);
        run('DELETE FROM crawls WHERE place = ?', row.place);
        // A process that has not seen the deletion by now is to list all entries again.
        run('UPDATE meta SET forgotten = MAX(forgotten, ?)', row.version);
        run('INSERT OR IGNORE INTO removed (digest) VALUES (?)', removalDigest(nonce));
        run('DELETE FROM removed WHERE id <= (SELECT MAX(id) FROM removed) - ?', keptRemovals);
      });
    },
    wasRemoved: (nonce) => reading(() => isRemoved(nonce)),
    async changes(since) {
      return await reading(() => {
        const { file: own, generation, forgotten } = meta();
        const [then, number] = since.split(' ');
        const known = then === own ? Number(number) : -1;
        const answer = { generation: `${own} ${generation}`, complete: false, changed: [] };
        if (!(known >= forgotten && known <= generation)) return answer;
        const rows = many(
          'SELECT * FROM crawls WHERE version > ? ORDER BY version LIMIT ?',
          known,
          keptChanges + 1,
        );
        if (rows.length > keptChanges) return answer;
        return { ...answer, complete: true, changed: rows.map(entryIn) };
      });
    },
    close: () => file.close(),
  };
}

function entryIn({ id, name, nonce, version: known, wanted, tags, text }: Row): CatalogEntry {
  return {
    id: id as CrawlId,
    name,
    nonce,
    version: known,
    wanted: wanted as EntryState,
    tags: JSON.parse(tags) as string[],
    ...readEntryText(text),
  };
}

function entryOrNone(row: Row | undefined): CatalogEntry | undefined {
  return row && entryIn(row);
}
