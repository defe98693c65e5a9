import type { Database } from '../../../sqlite/node-sqlite.ts';
import { type Barred, barredBy } from '../../barred.ts';
import type { Tombstone } from '../../frontier.ts';

/** Kept in `meta`: a table of their own would make the file another version, which earlier programs refuse. */
export function barredRows(db: Database) {
  const select = db.prepare('SELECT value FROM meta WHERE key = ?');
  const upsert = db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)');
  const keyOf = (crawl: number) => `forgotten:${crawl}`;
  return {
    get(crawl: number): Barred | undefined {
      const row = select.get(keyOf(crawl)) as { value: string } | undefined;
      return row && barredBy(JSON.parse(row.value) as Tombstone[]);
    },
    put(crawl: number, { tombstones }: Barred): void {
      upsert.run(keyOf(crawl), JSON.stringify(tombstones));
    },
  };
}
