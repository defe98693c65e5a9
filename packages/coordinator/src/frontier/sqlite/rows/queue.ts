import type { EntryKind } from '@webfarer/protocol';
import { classOf, kindOf } from './entries.ts';
import type { Database } from '../../../sqlite/node-sqlite.ts';

export interface QueueRows {
  /** A new entry at the end, already in the log: its place is its id. */
  append(pair: number, kind: EntryKind, entry: number): void;
  /** An entry at a place of its own, after a retry. */
  push(place: QueuePlace): void;
  remove(place: QueuePlace): void;
  /** Ids of the first entries of a host, sitemaps first, in the order they are to be fetched. */
  front(pair: number, limit: number): number[];
  /** The next entries of a host behind a place, in that order; `start` for the first. */
  behind(pair: number, place: ListedPlace, limit: number): ListedEntry[];
  /** How many entries stand before this place. */
  ahead(place: QueuePlace): number;
  /** Lists a share of what was appended in the table. Answers whose entries they were. */
  fold(lastEntry: number): number[];
  reload(): void;
}

export interface QueuePlace {
  pair: number;
  kind: EntryKind;
  ord: number;
  entry: number;
}

/** A place in the queue of a host: sitemaps are on level 0, the rest on level 1. */
export interface ListedPlace {
  level: number;
  ord: number;
}
export interface ListedEntry extends ListedPlace {
  entry: number;
}
export const queueStart: ListedPlace = { level: 0, ord: -1 };

/** How far the table has come, kept in the file. */
export interface QueueMarks {
  /** Entries up to this one are listed. */
  listed: number;
  /** Entries up to this one are being listed, pair by pair; 0 when none are. */
  listing: number;
  /** The last pair for which that is done. */
  pair: number;
}

export interface QueueRowsOptions {
  marks: { get(): QueueMarks; set(marks: QueueMarks): void };
  /** Entries in memory before they are listed in the table; read again from the log at start. */
  unlisted?: number | undefined;
}

const defaultUnlisted = 131_072;
/** Entries listed for each new one: done long before as many have gathered again. */
const pace = 4;
const rowsAtOnce = 16;

/** Entries of the log that are not in the table: ids in order, by pair, sitemaps apart. */
type Unlisted = [sitemaps: Map<number, number[]>, others: Map<number, number[]>];

/**
 * The order of every host's entries. The log of entries is the durable form of what was appended last:
 * listing it host by host, in large sorted portions, writes each page of the table once instead of often.
 * Leased entries keep their place: a lease that ends early has nothing to put back.
 */
export function queueRows(db: Database, { marks, unlisted = defaultUnlisted }: QueueRowsOptions): QueueRows {
  const insert = db.prepare('INSERT INTO queue VALUES (?, ?, ?, ?)');
  const insertMany = db.prepare(
    `INSERT INTO queue VALUES ${Array(rowsAtOnce).fill('(?, ?, ?, ?)').join(', ')}`,
  );
  const remove = db.prepare('DELETE FROM queue WHERE pair = ? AND class = ? AND ord = ?');
  const listedBehind = db.prepare(
    'SELECT class, ord, entry FROM queue WHERE pair = ? AND (class, ord) > (?, ?) ORDER BY class, ord LIMIT ?',
  );
  listedBehind.setReturnArrays(true);
  const countListed = db.prepare(
    'SELECT count(*) AS n FROM queue WHERE pair = ? AND (class < ? OR (class = ? AND ord < ?))',
  );
  const selectTail = db.prepare(
    'SELECT id, pair, bits FROM entries WHERE id > ? AND ord IS NULL AND record IS NULL ORDER BY id',
  );
  selectTail.setReturnArrays(true);

  /** Grows at its end. */
  let fresh = nothing();
  let size = 0;
  let added = 0;
  /** Grows no more: on its way into the table, in the order of `pairs`, from `at` on. */
  let frozen = nothing();
  let pairs: number[] = [];
  let at = 0;
  let mark: QueueMarks = { listed: 0, listing: 0, pair: 0 };
  let loaded = false;

  function load(): void {
    loaded = true;
    fresh = nothing();
    frozen = nothing();
    size = 0;
    added = 0;
    mark = marks.get();
    for (const [id, pair, bits] of selectTail.all(mark.listed) as unknown as [number, number, number][]) {
      if (isListed(pair, id)) continue;
      if (id <= mark.listing) addTo(frozen, { pair, level: levelOf(kindOf(bits)), id });
      else append(pair, kindOf(bits), id);
    }
    pairs = pairsOf(frozen);
    at = 0;
  }

  function isListed(pair: number, id: number): boolean {
    return id <= mark.listed || (id <= mark.listing && pair <= mark.pair);
  }

  function append(pair: number, kind: EntryKind, entry: number): void {
    // It is in the log already, so reading the log brings it along.
    if (!loaded) return load();
    addTo(fresh, { pair, level: levelOf(kind), id: entry });
    size++;
    added++;
  }

  /** Entries near the front go first, so the search is short. */
  function removeUnlisted({ pair, kind, entry }: QueuePlace): void {
    const where = entry <= mark.listing ? frozen : fresh;
    const ids = where[levelOf(kind)].get(pair);
    const index = ids?.indexOf(entry) ?? -1;
    if (!ids || index < 0) throw new Error(`entry ${entry} is not queued`);
    if (ids.length === 1) where[levelOf(kind)].delete(pair);
    else ids.splice(index, 1);
    if (where === fresh) size--;
  }

  function behind(pair: number, place: ListedPlace, limit: number): ListedEntry[] {
    if (!loaded) load();
    const { level: from, ord: after } = place;
    const rows = listedBehind.all(pair, from, after, limit) as unknown as [number, number, number][];
    const found = rows.map(([level, ord, entry]) => ({ level, ord, entry }));
    for (const level of [0, 1] as const) {
      if (level < from) continue;
      for (const part of [frozen, fresh]) {
        const ids = part[level].get(pair) ?? [];
        const at = level === from ? firstAbove(ids, after) : 0;
        for (const id of ids.slice(at, at + limit)) found.push({ level, ord: id, entry: id });
      }
    }
    return found.toSorted((a, b) => a.level - b.level || a.ord - b.ord).slice(0, limit);
  }

  /** Lists whole pairs until about `count` entries are listed. */
  function list(count: number): number[] {
    let values: number[] = [];
    const done: number[] = [];
    for (let left = count; left > 0 && at < pairs.length; at++) {
      const pair = pairs[at] as number;
      for (const level of [0, 1] as const) {
        for (const id of frozen[level].get(pair) ?? []) {
          values.push(pair, level, id, id);
          left--;
          if (values.length < rowsAtOnce * 4) continue;
          insertMany.run(...values);
          values = [];
        }
        frozen[level].delete(pair);
      }
      done.push(pair);
    }
    for (let i = 0; i < values.length; i += 4) insert.run(...values.slice(i, i + 4));
    return done;
  }

  function setMark(next: QueueMarks): void {
    mark = next;
    marks.set(next);
  }

  return {
    append,
    push: ({ pair, kind, ord, entry }) => void insert.run(pair, classOf(kind), ord, entry),
    remove(place) {
      if (!loaded) load();
      const { pair, kind, ord, entry } = place;
      if (ord === entry && !isListed(pair, entry)) removeUnlisted(place);
      else remove.run(pair, classOf(kind), ord);
    },
    front: (pair, limit) => behind(pair, queueStart, limit).map(({ entry }) => entry),
    behind,
    ahead({ pair, kind, ord }) {
      if (!loaded) load();
      const level = levelOf(kind);
      let { n } = countListed.get(pair, level, level, ord) as { n: number };
      for (const part of [frozen, fresh]) {
        if (level === 1) n += part[0].get(pair)?.length ?? 0;
        n += part[level].get(pair)?.filter((id) => id < ord).length ?? 0;
      }
      return n;
    },
    fold(lastEntry) {
      if (!loaded || added === 0) return [];
      if (mark.listing === 0 && size >= unlisted) {
        frozen = fresh;
        fresh = nothing();
        size = 0;
        pairs = pairsOf(frozen);
        at = 0;
        setMark({ listed: mark.listed, listing: lastEntry, pair: 0 });
      }
      const share = added * pace;
      added = 0;
      if (mark.listing === 0) return [];
      const done = list(share);
      if (at < pairs.length) setMark({ ...mark, pair: done.at(-1) ?? mark.pair });
      else setMark({ listed: mark.listing, listing: 0, pair: 0 });
      return done;
    },
    reload() {
      loaded = false;
    },
  };
}

function nothing(): Unlisted {
  return [new Map(), new Map()];
}

/** Where the ids above a number begin; they grow. */
function firstAbove(ids: readonly number[], number: number): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] as number) > number) high = middle;
    else low = middle + 1;
  }
  return low;
}

function levelOf(kind: EntryKind): 0 | 1 {
  return classOf(kind) as 0 | 1;
}

function addTo(where: Unlisted, { pair, level, id }: { pair: number; level: 0 | 1; id: number }): void {
  const ids = where[level].get(pair);
  if (ids) ids.push(id);
  else where[level].set(pair, [id]);
}

function pairsOf([sitemaps, others]: Unlisted): number[] {
  return [...new Set([...sitemaps.keys(), ...others.keys()])].toSorted((a, b) => a - b);
}
