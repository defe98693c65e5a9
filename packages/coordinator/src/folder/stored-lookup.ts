import type { CrawlId, PageRecord, Url } from '@webfarer/protocol';
import { unpackEdges } from '@webfarer/protocol/link';
import type { UrlStory } from '../frontier/frontier.ts';
import type { ResultsCursor, ResultsSource } from '../results/results.ts';
import { type Database, sqlite } from '../sqlite/node-sqlite.ts';

/** The settled URLs of a crawl as they were when they were read, each found at once. */
export interface StoredLookup {
  look(crawl: CrawlId, url: Url): Promise<Extract<UrlStory, { state: 'settled' }> | undefined>;
  results: Pick<ResultsSource, 'edgesOf' | 'itemsOf'>;
  /** Results that could not be read, because their files are on another machine. */
  absent: number;
  close(): Promise<void>;
}

/** Outcomes that are read and written at once. */
const pageSize = 1_000;

/**
 * Reads through the results of a crawl in a store. A store finds the record of one URL only by reading all of its group,
 * so whoever asks for many URLs reads everything once. What was read is kept in a temporary file that SQLite removes.
 */
export async function readLookup(
  source: Pick<ResultsSource, 'after'>,
  crawl: CrawlId,
): Promise<StoredLookup> {
  const db: Database = new (sqlite().DatabaseSync)('');
  try {
    db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
      CREATE TABLE pages (url TEXT PRIMARY KEY, record TEXT NOT NULL, links BLOB) WITHOUT ROWID;
      CREATE TABLE items (url TEXT NOT NULL, n INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (url, n)) WITHOUT ROWID`);
    const absent = await fill(db, source, crawl);
    const record = db.prepare('SELECT record FROM pages WHERE url = ?');
    const items = db.prepare('SELECT data FROM items WHERE url = ? ORDER BY n');
    const links = db.prepare('SELECT links FROM pages WHERE url = ?');
    return {
      look(_crawl, url) {
        const row = record.get(url) as { record: string } | undefined;
        const story = row && { state: 'settled' as const, record: JSON.parse(row.record) as PageRecord };
        return Promise.resolve(story);
      },
      results: {
        edgesOf(_crawl, url) {
          const row = links.get(url) as { links: Uint8Array | null } | undefined;
          return Promise.resolve(row?.links ? unpackEdges(url, row.links) : []);
        },
        itemsOf(_crawl, url) {
          const rows = items.all(url) as unknown as { data: string }[];
          return Promise.resolve(rows.map(({ data }) => JSON.parse(data) as unknown));
        },
      },
      absent,
      close: () => Promise.resolve(db.close()),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

async function fill(db: Database, source: Pick<ResultsSource, 'after'>, crawl: CrawlId): Promise<number> {
  // A later outcome of a URL replaces the earlier one, with its links and items.
  const put = db.prepare('INSERT OR REPLACE INTO pages VALUES (?, ?, NULL)');
  const addLinks = db.prepare('UPDATE pages SET links = ? WHERE url = ?');
  const removeItems = db.prepare('DELETE FROM items WHERE url = ?');
  const addItem = db.prepare('INSERT INTO items VALUES (?, ?, ?)');
  let n = 0;
  let cursor: ResultsCursor | undefined;
  let absent = 0;
  for (let more = true; more; ) {
    const page = await source.after(crawl, cursor, {
      kinds: ['record', 'item', 'links'],
      filter: {},
      limit: pageSize,
      absent: 'pass',
    });
    db.exec('BEGIN');
    for (const entry of page.entries) {
      if (entry.kind === 'record') {
        put.run(entry.url, JSON.stringify(entry.record));
        removeItems.run(entry.url);
      } else if (entry.kind === 'item') addItem.run(entry.url, n++, JSON.stringify(entry.item ?? null));
      else addLinks.run(entry.links.packed, entry.url);
    }
    db.exec('COMMIT');
    for (const { records } of page.absent) absent += records;
    ({ cursor, more } = page);
  }
  return absent;
}
