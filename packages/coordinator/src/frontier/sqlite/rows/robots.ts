import type { RobotsCopy } from '@webfarer/protocol';
import type { Database } from '../../../sqlite/node-sqlite.ts';

export interface RobotsRows {
  get(origin: string): RobotsCopy | undefined;
  put(copy: RobotsCopy): void;
  reload(): void;
}

/** Parsed copies kept in memory; most are a few hundred bytes, none is over 512 KiB. */
const keptCopies = 500;

export function robotsRows(db: Database): RobotsRows {
  const select = db.prepare('SELECT copy FROM robots WHERE origin = ?');
  const upsert = db.prepare('INSERT OR REPLACE INTO robots VALUES (?, ?)');
  const kept = new Map<string, RobotsCopy | undefined>();

  function keep(origin: string, copy: RobotsCopy | undefined): void {
    if (kept.size >= keptCopies) kept.clear();
    kept.set(origin, copy);
  }

  return {
    get(origin) {
      if (kept.has(origin)) return kept.get(origin);
      const row = select.get(origin) as { copy: string } | undefined;
      const copy = row && (JSON.parse(row.copy) as RobotsCopy);
      keep(origin, copy);
      return copy;
    },
    put(copy) {
      upsert.run(copy.origin, JSON.stringify(copy));
      keep(copy.origin, copy);
    },
    reload: () => kept.clear(),
  };
}
