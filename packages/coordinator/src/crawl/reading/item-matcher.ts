import { createHash } from 'node:crypto';
import type { Url } from '@webfarer/protocol';
import { type Database, sqlite, type Statement } from '../../sqlite/node-sqlite.ts';

export interface PageItem {
  url: Url;
  item: unknown;
}

/** An item of the later crawl, how it compares with the earlier one, and what a changed one was there. */
export type MatchedItem = PageItem & ({ change: 'new' | 'same' } | { change: 'changed'; before: unknown });

/** Which items of two crawls are the same ones. First both are added, then they are matched. */
export interface ItemMatcher {
  addBefore(items: AsyncIterable<PageItem>): Promise<void>;
  addNow(items: AsyncIterable<PageItem>): Promise<void>;
  match(): void;
  /** All items of the later crawl, in the order in which they were added. */
  there(): Iterable<MatchedItem>;
  /** Items of the earlier crawl that nothing was matched with. */
  left(): Iterable<PageItem>;
  close(): void;
}

/** Items that are written at once. */
const batch = 1_000;

/**
 * Which item is which: one with all fields of the key is known by their values, wherever it stands; any other by its page.
 * Equal ones are the same. Of those that are left, two with one key are one item that changed, and so are the only items of
 * a page. Kept in a temporary file that SQLite removes, so that memory stays bounded.
 */
export function createItemMatcher(key: readonly string[]): ItemMatcher {
  const db: Database = new (sqlite().DatabaseSync)('');
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
  for (const table of ['was', 'now'])
    db.exec(`CREATE TABLE ${table} (n INTEGER PRIMARY KEY, name TEXT NOT NULL, digest BLOB NOT NULL,
      page TEXT NOT NULL, data TEXT NOT NULL, other INTEGER, change TEXT)`);

  async function add(table: 'was' | 'now', items: AsyncIterable<PageItem>): Promise<void> {
    const insert = db.prepare(`INSERT INTO ${table} VALUES (?, ?, ?, ?, ?, NULL, NULL)`);
    let n = 0;
    db.exec('BEGIN');
    for await (const { url, item } of items) {
      insert.run(n, nameOf(item, url, key), digestOf(item), url, JSON.stringify(item ?? null));
      if (++n % batch === 0) db.exec('COMMIT; BEGIN');
    }
    db.exec('COMMIT');
  }

  /** Pairs the rows of both crawls that agree in these columns, the first with the first. */
  function pair(change: 'same' | 'changed', columns: string, only: string): void {
    const free = (table: string) =>
      `SELECT n, ${columns}, row_number() OVER (PARTITION BY ${columns} ORDER BY n) AS place
       FROM ${table} WHERE other IS NULL${only}`;
    db.exec(`CREATE TEMP TABLE pairs AS
      SELECT a.n AS now, b.n AS was FROM (${free('now')}) a JOIN (${free('was')}) b USING (${columns}, place);
      UPDATE now SET other = pairs.was, change = '${change}' FROM pairs WHERE pairs.now = now.n;
      UPDATE was SET other = pairs.now FROM pairs WHERE pairs.was = was.n;
      DROP TABLE pairs`);
  }

  return {
    addBefore: (items) => add('was', items),
    addNow: (items) => add('now', items),
    match() {
      pair('same', 'name, digest', '');
      pair('changed', 'name', " AND name LIKE 'key %'");
      const alone = (table: string) => `SELECT name FROM ${table} GROUP BY name HAVING count(*) = 1`;
      pair('changed', 'name', ` AND name IN (${alone('now')} INTERSECT ${alone('was')})`);
    },
    *there() {
      const rows = db.prepare(`SELECT now.page, now.data, now.change, was.data AS before
        FROM now LEFT JOIN was ON was.n = now.other AND now.change = 'changed' ORDER BY now.n`);
      for (const { page: url, data, change, before } of eachRow(rows)) {
        const item = JSON.parse(data) as unknown;
        if (change === 'changed')
          yield { url, item, change, before: JSON.parse(before ?? 'null') as unknown };
        else yield { url, item, change: change ?? 'new' };
      }
    },
    *left() {
      const rows = db.prepare('SELECT page, data FROM was WHERE other IS NULL ORDER BY n');
      for (const { page, data } of eachRow(rows)) yield { url: page, item: JSON.parse(data) as unknown };
    },
    close: () => db.close(),
  };
}

interface ItemRow {
  page: Url;
  data: string;
  change: 'same' | 'changed' | null;
  before: string | null;
}

function eachRow(statement: Statement): Iterable<ItemRow> {
  return statement.iterate() as Iterable<unknown> as Iterable<ItemRow>;
}

/** What an item is known by. */
function nameOf(item: unknown, url: Url, key: readonly string[]): string {
  const fields = (typeof item === 'object' ? item : null) as Record<string, unknown> | null;
  const values = key.map((name) => fields?.[name]);
  const isKnown = values.length > 0 && values.every((value) => value !== undefined && value !== null);
  return isKnown ? `key ${inOrder(values)}` : `page ${url}`;
}

function digestOf(item: unknown): Buffer {
  return createHash('sha256').update(inOrder(item)).digest();
}

/** As JSON in which the order of fields says nothing. */
function inOrder(value: unknown): string {
  return JSON.stringify(value ?? null, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
}
