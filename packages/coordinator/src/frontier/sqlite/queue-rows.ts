import type { EntryKind } from '@webfarer/protocol';
import { classOf } from './entry-rows.ts';
import type { Database } from './node-sqlite.ts';

export interface QueueRows {
  push(place: QueuePlace): void;
  remove(place: QueuePlace): void;
  /** Ids of the first entries of a host, sitemaps first, in the order they are to be fetched. */
  front(pair: number, limit: number): number[];
}

export interface QueuePlace {
  pair: number;
  kind: EntryKind;
  ord: number;
  entry: number;
}

/** Leased entries keep their place here: a lease that ends early has nothing to put back. */
export function queueRows(db: Database): QueueRows {
  const insert = db.prepare('INSERT INTO queue VALUES (?, ?, ?, ?)');
  const remove = db.prepare('DELETE FROM queue WHERE pair = ? AND class = ? AND ord = ?');
  const front = db.prepare('SELECT entry FROM queue WHERE pair = ? ORDER BY class, ord LIMIT ?');
  front.setReturnArrays(true);
  return {
    push: ({ pair, kind, ord, entry }) => void insert.run(pair, classOf(kind), ord, entry),
    remove: ({ pair, kind, ord }) => void remove.run(pair, classOf(kind), ord),
    front: (pair, limit) => (front.all(pair, limit) as unknown as [number][]).map(([entry]) => entry),
  };
}
