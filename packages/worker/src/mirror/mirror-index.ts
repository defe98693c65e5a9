import { createHash } from 'node:crypto';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { PageRecord, SavedAt } from '@webfarer/protocol';
import type { CapturePlace } from '../archive/archive.ts';
import { choose, foldedName, type NameOwners } from '../save/names/name-registry.ts';
import { mirrorName } from './mirror-name.ts';

/** The module as the caller loaded it: it announces itself as experimental, which is the caller's to deal with. */
export type Sqlite = Pick<typeof import('node:sqlite'), 'DatabaseSync'>;

/** A body that the folder has a copy of. */
export interface MirroredCapture {
  url: string;
  /** Its name in the folder. */
  path: string;
  mime: string;
  charset: string | undefined;
  place: CapturePlace;
}

/**
 * Which URL is which file: on disk, so that a crawl of any size needs no more memory than a small one. The map is made
 * anew from the records each time; what was written under it is remembered, so that a writer that was killed resumes.
 */
export interface MirrorIndex {
  /** Takes the records over and gives every copy its name. The same records give the same names, in any order. */
  fill(records: AsyncIterable<PageRecord>): Promise<void>;
  /** Changes when any URL gets another name, or one comes or goes. */
  readonly generation: string;
  /** The file that a URL leads to in the end, redirects followed. */
  find(url: string): string | undefined;
  captures(): Iterable<MirroredCapture>;
  /** What a file is a copy of. */
  at(path: string): { url: string; mime: string; digest?: string } | undefined;
  /** Leaves all others without a name. */
  keepOnly(paths: AsyncIterable<string>): Promise<void>;
  /** There is no copy, and there was none before. */
  isEmpty(): boolean;
  /** Pages that were begun with. */
  entrances(limit: number): { path: string; title: string }[];
  /** What a file was made of the last time it was written. */
  written(path: string): { source: string; bytes: number } | undefined;
  wrote(files: readonly { path: string; source: string; bytes: number }[]): void;
  /** Files of an earlier writing that no URL has any more. */
  leftovers(): string[];
  forget(path: string): void;
  close(): void;
}

const tables = `
  CREATE TABLE IF NOT EXISTS urls (
    url TEXT PRIMARY KEY, mime TEXT, charset TEXT, place TEXT, redirect TEXT, entrance INTEGER, title TEXT,
    digest TEXT, path TEXT
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS by_path ON urls (path);
  CREATE TABLE IF NOT EXISTS names (key INTEGER PRIMARY KEY, owner INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS folders (folded TEXT PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS files (path TEXT PRIMARY KEY, source TEXT NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID;
`;
const maxRedirects = 20;
/** The page that leads to all others. */
export const frontPage = 'index.html';

export function openMirrorIndex(file: string, sqlite: Sqlite): MirrorIndex {
  const db = new sqlite.DatabaseSync(file, { timeout: 10_000 });
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
  db.exec(tables);
  const look = db.prepare('SELECT path, redirect FROM urls WHERE url = ?');
  const known = db.prepare('SELECT source, bytes FROM files WHERE path = ?');
  const note = db.prepare('INSERT OR REPLACE INTO files VALUES (?, ?, ?)');
  let generation = '';

  function find(url: string): string | undefined {
    let at = url;
    for (let hops = 0; hops <= maxRedirects; hops++) {
      const row = look.get(at) as { path: string | null; redirect: string | null } | undefined;
      if (!row) return undefined;
      if (row.path !== null) return row.path;
      if (row.redirect === null) return undefined;
      at = row.redirect;
    }
    return undefined;
  }

  return {
    find,
    async fill(records) {
      db.exec('BEGIN; DELETE FROM urls; DELETE FROM names; DELETE FROM folders;');
      try {
        await takeOver(db, records);
        generation = giveNames(db);
        db.exec('COMMIT');
      } catch (error) {
        db.exec('ROLLBACK');
        throw error;
      }
    },
    get generation() {
      return generation;
    },
    *captures() {
      const rows = db.prepare('SELECT * FROM urls WHERE path IS NOT NULL ORDER BY url').iterate();
      for (const row of rows) {
        const { url, path, mime, charset, place } = row as Record<string, string | null>;
        yield {
          url: url ?? '',
          path: path ?? '',
          mime: mime ?? '',
          charset: charset ?? undefined,
          place: JSON.parse(place ?? '{}') as CapturePlace,
        };
      }
    },
    at(path) {
      const row = db.prepare('SELECT url, mime, digest FROM urls WHERE path = ?').get(path);
      if (!row) return undefined;
      const { url, mime, digest } = row as { url: string; mime: string | null; digest: string | null };
      return { url, mime: mime ?? '', ...(digest === null ? {} : { digest }) };
    },
    async keepOnly(paths) {
      db.exec(
        'CREATE TEMP TABLE IF NOT EXISTS kept (path TEXT PRIMARY KEY) WITHOUT ROWID; DELETE FROM kept;',
      );
      const keep = db.prepare('INSERT OR IGNORE INTO kept VALUES (?)');
      for await (const path of paths) keep.run(path);
      db.exec('UPDATE urls SET path = NULL WHERE path NOT IN (SELECT path FROM kept)');
    },
    isEmpty() {
      const any = 'SELECT 1 FROM urls WHERE path IS NOT NULL UNION ALL SELECT 1 FROM files LIMIT 1';
      return db.prepare(any).get() === undefined;
    },
    entrances(limit) {
      const seen = new Map<string, string>();
      const rows = db.prepare('SELECT url, title FROM urls WHERE entrance = 1 ORDER BY url').iterate();
      for (const row of rows) {
        const { url, title } = row as { url: string; title: string | null };
        const path = find(url);
        if (path !== undefined && /\.x?html?$/.test(path)) seen.set(path, title ?? url);
        if (seen.size >= limit) break;
      }
      return Array.from(seen, ([path, title]) => ({ path, title }));
    },
    written: (path) => known.get(path) as { source: string; bytes: number } | undefined,
    wrote(files) {
      db.exec('BEGIN');
      for (const { path, source, bytes } of files) note.run(path, source, bytes);
      db.exec('COMMIT');
    },
    leftovers() {
      const rows = db
        .prepare(
          'SELECT path FROM files WHERE path <> ? AND path NOT IN (SELECT path FROM urls WHERE path IS NOT NULL)',
        )
        .all(frontPage);
      return rows.map((row) => String(row.path));
    },
    forget: (path) => void db.prepare('DELETE FROM files WHERE path = ?').run(path),
    close: () => db.close(),
  };
}

async function takeOver(db: DatabaseSync, records: AsyncIterable<PageRecord>): Promise<void> {
  const columns =
    '(url, mime, charset, place, redirect, entrance, title, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?)';
  const own = db.prepare(`INSERT OR REPLACE INTO urls ${columns}`);
  const other = db.prepare(`INSERT OR IGNORE INTO urls ${columns}`);
  const orNull = (fields: (SQLInputValue | undefined)[]) => fields.map((field) => field ?? null);
  for await (const record of records) {
    const { url, kind, redirectTo, depth, title, charset } = record;
    if (kind === 'sitemap' || record.verdict !== 'done') continue;
    const entrance = kind === 'page' && depth === 0 ? 1 : 0;
    const place = placeOf(record);
    const mime = record.mime || record.mimeDetected;
    const kept = place && redirectTo === undefined ? JSON.stringify(place) : undefined;
    if (kept !== undefined || redirectTo !== undefined)
      own.run(...orNull([url, mime, charset, kept, redirectTo, entrance, title, record.digest]));
    for (const resource of record.resources ?? []) {
      const at = placeOf(resource);
      if (at)
        other.run(
          ...orNull([
            resource.url,
            resource.mime,
            undefined,
            JSON.stringify(at),
            undefined,
            0,
            undefined,
            resource.digest,
          ]),
        );
    }
  }
}

/** Where the body of an answer 2xx is in this folder; a repeated one is where it was written first. */
function placeOf({ status = 0, saved = [] }: Pick<PageRecord, 'status' | 'saved'>): CapturePlace | undefined {
  if (status < 200 || status > 299) return undefined;
  for (const at of saved) {
    // What a user's own saver keeps is not ours to read.
    if (at.spooled !== undefined || !/^(?:warc|files|tar)/.test(at.saver)) continue;
    const place = bodyPlace(at);
    if (place) return place;
  }
  return undefined;
}

function bodyPlace({ file, offset, length, revisit }: SavedAt): CapturePlace | undefined {
  if (revisit) return revisit.original;
  return { file, ...(offset === undefined ? {} : { offset }), ...(length === undefined ? {} : { length }) };
}

/** In the order of the URLs, so that it does not matter which was fetched first. Answers a digest of the map. */
function giveNames(db: DatabaseSync): string {
  const owner = db.prepare('SELECT owner FROM names WHERE key = ?');
  const take = db.prepare('INSERT INTO names VALUES (?, ?)');
  const set = db.prepare('UPDATE urls SET path = ? WHERE url = ?');
  const next = db.prepare(
    'SELECT url, mime, place, redirect FROM urls WHERE url > ? ORDER BY url LIMIT 1000',
  );
  const get = (key: number) => (owner.get(key) as { owner: number } | undefined)?.owner;
  const owners: NameOwners = { get, has: (key) => get(key) !== undefined };
  const claim = (wanted: string, url: string): string => {
    const { name, taken } = choose(owners, wanted, url);
    for (const [key, who] of taken) take.run(key, who);
    return inKnownFolders(db, name);
  };
  const digest = createHash('sha256');
  claim(frontPage, '');
  for (let last = '', more = true; more; ) {
    const rows = next.all(last) as {
      url: string;
      mime: string | null;
      place: string | null;
      redirect: string | null;
    }[];
    for (const { url, mime, place, redirect } of rows) {
      const path = place === null ? undefined : claim(mirrorName(url, mime ?? ''), url);
      if (path !== undefined) set.run(path, url);
      digest.update(`${url}\n${path ?? ''}\n${redirect ?? ''}\n`);
      last = url;
    }
    more = rows.length > 0;
  }
  return digest.digest('hex').slice(0, 16);
}

/** Folders that differ only in case are one folder on some systems, so they are everywhere. */
function inKnownFolders(db: DatabaseSync, name: string): string {
  const look = db.prepare('SELECT name FROM folders WHERE folded = ?');
  const add = db.prepare('INSERT INTO folders VALUES (?, ?)');
  const parts = name.split('/');
  let folder = '';
  for (const part of parts.slice(0, -1)) {
    const wanted = folder === '' ? part : `${folder}/${part}`;
    const known = look.get(foldedName(wanted)) as { name: string } | undefined;
    if (!known) add.run(foldedName(wanted), wanted);
    folder = known?.name ?? wanted;
  }
  return folder === '' ? name : `${folder}/${parts.at(-1)}`;
}
