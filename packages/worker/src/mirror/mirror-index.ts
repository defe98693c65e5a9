import type { CapturePlace } from '../archive/archive.ts';
import type { CrawlSource } from '../archive/own-captures.ts';
import { frontPage, giveNames, takeOver } from './fill-index.ts';

/** The module as the caller loaded it: it announces itself as experimental, which is the caller's to deal with. */
export type Sqlite = Pick<typeof import('node:sqlite'), 'DatabaseSync'>;

/** A body that the folder has a copy of. */
export interface MirroredCapture {
  url: string;
  /** Its name in the folder. */
  path: string;
  mime: string;
  charset: string | undefined;
  /** `sha1:BASE32` of the body as it was sent. */
  digest: string | undefined;
  place: CapturePlace;
  /** It is the page as it stood in a browser, not as it came. */
  shown: boolean;
  /** In the archive of which crawl: 0 is the one that is mirrored, 1 the one before it. */
  crawl: number;
}

/**
 * Which URL is which file: on disk, so that a crawl of any size needs no more memory than a small one. The map is made
 * anew from the records each time; what was written under it is remembered, so that a writer that was killed resumes.
 */
export interface MirrorIndex {
  /**
   * Takes over the records of the first crawl and gives every copy its name. The same records give the same names, in any
   * order. The others are the crawls before it, which have the bodies of unchanged pages. `asShown`: of pages that were shown
   * in a browser, what that made of them.
   */
  fill(sources: readonly CrawlSource[], how: { asShown: boolean }): Promise<void>;
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

/** `elsewhere`: its body was not kept again, because an earlier crawl has it. */
const tables = `
  DROP TABLE IF EXISTS urls;
  CREATE TABLE urls (
    url TEXT PRIMARY KEY, mime TEXT, charset TEXT, place TEXT, crawl INTEGER NOT NULL DEFAULT 0, redirect TEXT,
    entrance INTEGER, title TEXT, digest TEXT, elsewhere INTEGER NOT NULL,
    shown INTEGER NOT NULL DEFAULT 0, path TEXT
  ) WITHOUT ROWID;
  CREATE INDEX by_path ON urls (path);
  DROP TABLE IF EXISTS names;
  CREATE TABLE names (key INTEGER PRIMARY KEY, owner INTEGER NOT NULL);
  DROP TABLE IF EXISTS folders;
  CREATE TABLE folders (folded TEXT PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS files (path TEXT PRIMARY KEY, source TEXT NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID;
`;
const maxRedirects = 20;

export function openMirrorIndex(file: string, sqlite: Sqlite): MirrorIndex {
  const db = new sqlite.DatabaseSync(file, { timeout: 10_000 });
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
  db.exec(`BEGIN; ${tables} COMMIT`);
  const look = db.prepare('SELECT path, redirect FROM urls WHERE url = ?');
  const about = db.prepare('SELECT url, mime, digest FROM urls WHERE path = ?');
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
    async fill(sources, how) {
      db.exec('BEGIN');
      try {
        await takeOver(db, sources, how);
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
        const { url, path, mime, charset, digest, place } = row as Record<string, string | null>;
        yield {
          url: url ?? '',
          path: path ?? '',
          mime: mime ?? '',
          charset: charset ?? undefined,
          digest: digest ?? undefined,
          place: JSON.parse(place ?? '{}') as CapturePlace,
          shown: Number(row['shown']) === 1,
          crawl: Number(row['crawl']),
        };
      }
    },
    at(path) {
      const row = about.get(path);
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
