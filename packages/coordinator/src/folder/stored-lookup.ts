import type { CrawlId, Edge, PageRecord, Url } from '@webfarer/protocol';
import { packEdges, unpackEdges } from '@webfarer/protocol/link';
import type { UrlStory } from '../frontier/frontier.ts';
import type { ResultsCursor, ResultsSource } from '../results/results.ts';
import { type Database, sqlite } from '../sqlite/node-sqlite.ts';

/** The settled URLs of a crawl as they were when they were read, each found at once. */
export interface StoredLookup {
  look(crawl: CrawlId, url: Url): Promise<Extract<UrlStory, { state: 'settled' }> | undefined>;
  results: { edgesOf(crawl: CrawlId, url: Url): Promise<Edge[]> };
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
      CREATE TABLE pages (url TEXT PRIMARY KEY, record TEXT NOT NULL, links BLOB) WITHOUT ROWID`);
    const absent = await fill(db, source, crawl);
    const record = db.prepare('SELECT record FROM pages WHERE url = ?');
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
  // A later outcome of a URL replaces the earlier one, with its links.
  const put = db.prepare('INSERT OR REPLACE INTO pages VALUES (?, ?, NULL)');
  const addLinks = db.prepare('UPDATE pages SET links = ? WHERE url = ?');
  let cursor: ResultsCursor | undefined;
  let absent = 0;
  for (let more = true; more; ) {
    const page = await source.after(crawl, cursor, {
      kinds: ['record', 'links'],
      filter: {},
      limit: pageSize,
      absent: 'pass',
    });
    db.exec('BEGIN');
    for (const entry of page.entries) {
      if (entry.kind === 'record') put.run(entry.url, JSON.stringify(entry.record));
      else if (entry.kind === 'links') addLinks.run(packEdges(entry.url, entry.edges), entry.url);
    }
    db.exec('COMMIT');
    for (const { records } of page.absent) absent += records;
    ({ cursor, more } = page);
  }
  return absent;
}
