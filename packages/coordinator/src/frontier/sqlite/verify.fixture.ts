import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { CrawlId } from '@webfarer/protocol';
import { openDatabase } from './schema.ts';
import { createStore } from './store.ts';

/** Counts everything in a frontier's file that is otherwise only kept, and throws where it does not agree. */
export function verifyFile(path: string): { known: number; settled: number } {
  const db = openDatabase(path, false);
  const store = createStore(
    db,
    { now: () => 0, wall: () => 0, sleep: () => Promise.resolve() },
    { failpoint: () => {} },
  );
  const count = (sql: string, ...values: number[]) => (db.prepare(sql).get(...values) as { n: number }).n;
  let known = 0;
  let settled = 0;
  for (const crawl of store.crawls.all()) {
    const { counters } = crawl;
    const pairs = 'pair IN (SELECT id FROM pairs WHERE crawl = ?)';
    strictEqual(count(`SELECT count(*) AS n FROM entries WHERE ${pairs}`, crawl.id), counters.known);
    const open = count(`SELECT count(*) AS n FROM entries WHERE record IS NULL AND ${pairs}`, crawl.id);
    strictEqual(open, counters.queued + counters.leased);
    strictEqual(
      count('SELECT count(*) AS n FROM records WHERE crawl = ?', crawl.id),
      counters.done + counters.failed + counters.refused,
    );
    known += counters.known;
    settled += counters.known - open;
    verifyPairs(store, crawl.key);
  }
  const lost = 'SELECT count(*) AS n FROM records r LEFT JOIN entries e ON e.id = r.entry';
  strictEqual(count(`${lost} WHERE e.record IS NULL OR e.record <> r.id`), 0, 'a record without its entry');
  db.close();
  return { known, settled };
}

function verifyPairs(store: ReturnType<typeof createStore>, key: CrawlId): void {
  const { db } = store;
  const crawl = store.crawls.get(key);
  const rows = db.prepare('SELECT id FROM pairs WHERE crawl = ?').all(crawl.id) as { id: number }[];
  const open = db.prepare('SELECT id FROM entries WHERE pair = ? AND record IS NULL ORDER BY id');
  const all = db.prepare('SELECT id FROM entries WHERE pair = ?');
  for (const { id } of rows) {
    const pair = store.hosts.pairById(id);
    const ids = (open.all(id) as { id: number }[]).map((row) => row.id);
    strictEqual(pair.queued + pair.leased, ids.length, `queued and leased of ${pair.host.key}`);
    deepStrictEqual(
      store.queue.front(id, 1e9).toSorted((a, b) => a - b),
      ids,
      `queue of ${pair.host.key}`,
    );
    for (const row of all.all(id) as { id: number }[]) {
      strictEqual(
        store.seen.find(crawl.print, store.entries.urlOf(row.id)),
        row.id,
        'a known URL is not seen',
      );
    }
  }
}
