import type { Database } from './node-sqlite.ts';

export interface SeenRows {
  /** The entry with this fingerprint, undefined when it is new. */
  find(print: bigint): number | undefined;
  add(print: bigint, entry: number): void;
}

export function seenRows(db: Database): SeenRows {
  const find = db.prepare('SELECT entry FROM seen WHERE print = ?');
  const insert = db.prepare('INSERT INTO seen VALUES (?, ?)');
  return {
    find: (print) => (find.get(print) as { entry: number } | undefined)?.entry,
    add: (print, entry) => void insert.run(print, entry),
  };
}
