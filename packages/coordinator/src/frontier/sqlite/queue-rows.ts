import type { EntryKind } from '@webfarer/protocol';
import { classOf, kindOf } from './entry-rows.ts';
import type { Database } from './node-sqlite.ts';

export interface QueueRows {
  /** A new entry at the end, already in the log: its place is its id. */
  append(pair: number, kind: EntryKind, entry: number): void;
  /** An entry at a place of its own, after a retry. */
  push(place: QueuePlace): void;
  remove(place: QueuePlace): void;
  /** Ids of the first entries of a host, sitemaps first, in the order they are to be fetched. */
  front(pair: number, limit: number): number[];
  /** How many entries stand before this place. */
  ahead(place: QueuePlace): number;
  /** Lists what was appended, once it is enough to pay. True when it did: every entry so far is listed now. */
  fold(lastEntry: number): boolean;
  reload(): void;
}

export interface QueuePlace {
  pair: number;
  kind: EntryKind;
  ord: number;
  entry: number;
}

/** The last entry that is listed in the table, kept in the file. */
export interface Watermark {
  get(): number;
  set(entry: number): void;
}

/** Entries in memory before they are listed in the table; read again from the log at start. */
const defaultUnlisted = 131_072;
const rowsAtOnce = 16;

/**
 * The order of every host's entries. The log of entries is the durable form of what was appended last:
 * listing it host by host, in large sorted portions, writes each page of the table once instead of often.
 * Leased entries keep their place: a lease that ends early has nothing to put back.
 */
export function queueRows(db: Database, listed: Watermark, unlisted = defaultUnlisted): QueueRows {
  const insert = db.prepare('INSERT INTO queue VALUES (?, ?, ?, ?)');
  const insertMany = db.prepare(
    `INSERT INTO queue VALUES ${Array(rowsAtOnce).fill('(?, ?, ?, ?)').join(', ')}`,
  );
  const remove = db.prepare('DELETE FROM queue WHERE pair = ? AND class = ? AND ord = ?');
  const front = db.prepare('SELECT class, ord, entry FROM queue WHERE pair = ? ORDER BY class, ord LIMIT ?');
  front.setReturnArrays(true);
  const countListed = db.prepare(
    'SELECT count(*) AS n FROM queue WHERE pair = ? AND (class < ? OR (class = ? AND ord < ?))',
  );
  const selectTail = db.prepare(
    'SELECT id, pair, bits FROM entries WHERE id > ? AND ord IS NULL AND record IS NULL ORDER BY id',
  );
  selectTail.setReturnArrays(true);
  /** By host and class: ids in order. */
  let tails: [Map<number, number[]>, Map<number, number[]>] = [new Map(), new Map()];
  let size = 0;
  let listedTo = 0;
  let loaded = false;

  function load(): void {
    loaded = true;
    tails = [new Map(), new Map()];
    size = 0;
    listedTo = listed.get();
    for (const [id, pair, bits] of selectTail.all(listedTo) as unknown as [number, number, number][]) {
      append(pair, kindOf(bits), id);
    }
  }

  function append(pair: number, kind: EntryKind, entry: number): void {
    // It is in the log already, so reading the log brings it along.
    if (!loaded) return load();
    const tail = tails[classOf(kind) as 0 | 1];
    const ids = tail.get(pair);
    if (ids) ids.push(entry);
    else tail.set(pair, [entry]);
    size++;
  }

  /** Entries near the front go first, so the search is short. */
  function removeFromTail({ pair, kind, entry }: QueuePlace): void {
    const tail = tails[classOf(kind) as 0 | 1];
    const ids = tail.get(pair);
    const at = ids?.indexOf(entry) ?? -1;
    if (!ids || at < 0) throw new Error(`entry ${entry} is not queued`);
    if (ids.length === 1) tail.delete(pair);
    else ids.splice(at, 1);
    size--;
  }

  /** In the order of the table, several rows a statement. */
  function list([maps, others]: typeof tails): void {
    let values: number[] = [];
    const take = (pair: number, level: number, ids: number[] = []) => {
      for (const id of ids) {
        values.push(pair, level, id, id);
        if (values.length < rowsAtOnce * 4) continue;
        insertMany.run(...values);
        values = [];
      }
    };
    for (const pair of [...new Set([...maps.keys(), ...others.keys()])].toSorted((a, b) => a - b)) {
      take(pair, 0, maps.get(pair));
      take(pair, 1, others.get(pair));
    }
    for (let i = 0; i < values.length; i += 4) insert.run(...values.slice(i, i + 4));
  }

  return {
    append,
    push: ({ pair, kind, ord, entry }) => void insert.run(pair, classOf(kind), ord, entry),
    remove(place) {
      if (!loaded) load();
      const { pair, kind, ord, entry } = place;
      if (ord === entry && entry > listedTo) removeFromTail(place);
      else remove.run(pair, classOf(kind), ord);
    },
    front(pair, limit) {
      if (!loaded) load();
      const rows = front.all(pair, limit) as unknown as [number, number, number][];
      const found = rows.map(([level, ord, entry]) => ({ level, ord, entry }));
      for (const level of [0, 1] as const) {
        for (const id of tails[level].get(pair)?.slice(0, limit) ?? [])
          found.push({ level, ord: id, entry: id });
      }
      const order = found.toSorted((a, b) => a.level - b.level || a.ord - b.ord);
      return order.slice(0, limit).map(({ entry }) => entry);
    },
    ahead({ pair, kind, ord }) {
      if (!loaded) load();
      const level = classOf(kind);
      const { n } = countListed.get(pair, level, level, ord) as { n: number };
      const early = level === 0 ? 0 : (tails[0].get(pair)?.length ?? 0);
      return n + early + (tails[level as 0 | 1].get(pair)?.filter((id) => id < ord).length ?? 0);
    },
    fold(lastEntry) {
      if (!loaded || size < unlisted) return false;
      list(tails);
      tails = [new Map(), new Map()];
      size = 0;
      listedTo = lastEntry;
      listed.set(lastEntry);
      return true;
    },
    reload() {
      loaded = false;
    },
  };
}
