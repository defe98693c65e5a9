import { sqlite } from '@webfarer/coordinator';
import { asStorageError } from '@webfarer/coordinator/storage-error';
import { spaced, unspaced } from './words.ts';

/** A page that has the words. */
export interface SearchHit {
  url: string;
  title: string;
  /** Where the words stand, each between `[` and `]`. */
  snippet: string;
  /** Higher is better; only comparable within one search. */
  score: number;
}

/** The words of a crawl's pages, in a file of its own that can be deleted at any time. */
export interface SearchIndex {
  /** How far the results of the crawl are in it; undefined for a new one. */
  readonly cursor: string | undefined;
  /** Replaces the pages of these URLs and moves the cursor, all or nothing. */
  put(pages: readonly IndexedPage[], cursor: string): void;
  clear(): void;
  find(query: string, limit: number): { total: number; hits: SearchHit[] };
  count(): number;
  close(): void;
}

export interface IndexedPage {
  url: string;
  title: string;
  /** Undefined: the page is not there any more, or has no text. */
  text: string | undefined;
}

/** Raised with every change of the tables and of what is indexed: a file of another version is made anew. */
const version = 2;
/** Words around what was found. */
const snippetWords = 24;
/** A word in the title counts this much more than one in the text. */
const titleWeight = 8;

/** `crawl`: an index of another crawl, left by one that was started over, is emptied. */
export function openSearchIndex(file: string, crawl: string): SearchIndex {
  try {
    return openFile(file, crawl);
  } catch (error) {
    throw asStorageError(error, file);
  }
}

function openFile(file: string, crawl: string): SearchIndex {
  const db = new (sqlite().DatabaseSync)(file, { timeout: 10_000 });
  // A crash may cost the latest additions, which the next search makes again.
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  const clear = () =>
    db.exec(`
      BEGIN IMMEDIATE;
      DROP TABLE IF EXISTS about; DROP TABLE IF EXISTS pages; DROP TABLE IF EXISTS words;
      CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
      CREATE TABLE pages (id INTEGER PRIMARY KEY, url TEXT UNIQUE, title TEXT);
      CREATE VIRTUAL TABLE words USING fts5(title, text, tokenize = 'unicode61 remove_diacritics 2');
      PRAGMA user_version = ${version};
      COMMIT;`);
  const about = (name: string) =>
    (db.prepare('SELECT value FROM about WHERE name = ?').get(name) as { value: string } | undefined)?.value;
  const note = (name: string, value: string) => {
    db.prepare('INSERT OR REPLACE INTO about VALUES (?, ?)').run(name, value);
  };
  function begin(): void {
    clear();
    note('crawl', crawl);
  }
  const found = db.prepare('PRAGMA user_version').get() as { user_version: number };
  if (found.user_version !== version || about('crawl') !== crawl) begin();

  const drop = {
    words: db.prepare('DELETE FROM words WHERE rowid = (SELECT id FROM pages WHERE url = ?)'),
    page: db.prepare('DELETE FROM pages WHERE url = ?'),
  };
  return {
    get cursor() {
      return about('cursor');
    },
    put(pages, cursor) {
      db.exec('BEGIN IMMEDIATE');
      try {
        for (const { url, title, text } of pages) {
          drop.words.run(url);
          drop.page.run(url);
          if (text === undefined) continue;
          const { lastInsertRowid } = db
            .prepare('INSERT INTO pages (url, title) VALUES (?, ?)')
            .run(url, title);
          db.prepare('INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)').run(
            lastInsertRowid,
            spaced(title),
            spaced(text),
          );
        }
        note('cursor', cursor);
        db.exec('COMMIT');
      } catch (error) {
        if (db.isTransaction) db.exec('ROLLBACK');
        throw asStorageError(error, file);
      }
    },
    clear: begin,
    find(query, limit) {
      const { total } = db.prepare('SELECT count(*) AS total FROM words WHERE words MATCH ?').get(query) as {
        total: number;
      };
      const rows = db
        .prepare(
          `SELECT pages.url, pages.title, -bm25(words, ${titleWeight}, 1) AS score,
             snippet(words, 1, char(1), char(2), '…', ${snippetWords}) AS snippet
           FROM words JOIN pages ON pages.id = words.rowid
           WHERE words MATCH ? ORDER BY score DESC, pages.id LIMIT ?`,
        )
        .all(query, limit) as unknown as SearchHit[];
      return { total, hits: rows.map((row) => ({ ...row, snippet: marked(row.snippet) })) };
    },
    count: () => (db.prepare('SELECT count(*) AS n FROM pages').get() as { n: number }).n,
    close: () => db.close(),
  };
}

function marked(snippet: string): string {
  return unspaced(snippet).replaceAll('\u0001', '[').replaceAll('\u0002', ']').trim();
}
