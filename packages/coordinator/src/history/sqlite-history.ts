import type { CrawlId } from '@webfarer/protocol';
import type { Database } from '../sqlite/node-sqlite.ts';
import { type CountHistory, firstLevel, historyIn, restsLevel } from './count-history.ts';
import {
  countsText,
  levelOf,
  levelSize,
  sampleLength,
  sampleText,
  slotOf,
  timeIn,
  withRest,
} from './samples.ts';

export interface SqliteHistoryOptions {
  db: Database;
  /** Of the crawl in this database; undefined: it has no such crawl. */
  rowOf: (crawl: CrawlId) => number | undefined;
  nowMs: () => number;
  change: (work: () => void) => Promise<void>;
  ask: <T>(question: () => T) => Promise<T>;
}

/** The history of a crawl in its own database: a few rows of its small table for everything else. */
export function sqliteHistory({ db, rowOf, nowMs, change, ask }: SqliteHistoryOptions): CountHistory {
  const select = db.prepare('SELECT value FROM meta WHERE key = ?');
  const upsert = db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)');
  const all = db.prepare('SELECT key, value FROM meta WHERE key >= ? AND key < ?');
  const read = (key: string) => (select.get(key) as { value: string } | undefined)?.value ?? '';

  function note(row: number, counts: string, isLast: boolean, restedMs: number): void {
    if (restedMs > 0) {
      const key = keyOf(row, restsLevel);
      upsert.run(key, withRest(read(key), nowMs() - restedMs, nowMs()));
    }
    const text = sampleText(nowMs(), counts);
    const first = read(keyOf(row, firstLevel));
    const slot = first === '' ? 0 : slotOf(timeIn(text)) - slotOf(timeIn(first));
    // The clock was set back.
    if (slot < 0) return;
    const key = keyOf(row, String(levelOf(slot) ?? firstLevel));
    const kept = read(key);
    const latest = kept.slice(-sampleLength);
    const apart = latest === '' ? 1 : slotOf(timeIn(text)) - slotOf(timeIn(latest));
    if (apart < 0 || (apart === 0 && !isLast)) return;
    const before = apart === 0 ? kept.slice(0, -sampleLength) : kept;
    upsert.run(key, `${before}${text}`.slice(-levelSize * sampleLength));
  }

  return {
    async note(crawl, counts, { last = false, restedMs = 0 } = {}) {
      await change(() => {
        const row = rowOf(crawl);
        if (row !== undefined) note(row, countsText(counts), last, restedMs);
      });
    },
    samples: (crawl) =>
      ask(() => {
        const row = rowOf(crawl);
        if (row === undefined) return [];
        const kept = all.all(keyOf(row, ''), keyOf(row, '~')) as { key: string; value: string }[];
        return historyIn(new Map(kept.map(({ key, value }) => [key.slice(key.lastIndexOf(' ') + 1), value])));
      }),
  };
}

const keyOf = (row: number, level: string): string => `counts ${row} ${level}`;
