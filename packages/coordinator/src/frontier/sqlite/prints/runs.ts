import type { Database } from '../../../sqlite/node-sqlite.ts';
import { emptyFilter, filterOn, type PrintFilter } from './filter.ts';
import type { Prints } from './table.ts';

/**
 * A sorted list of fingerprints that never changes, in chunks of one database page each. In memory are only
 * the first fingerprint of each chunk and a filter that spares most look-ups of what is not there.
 */
export interface PrintRun {
  id: number;
  /** Runs of one level are about the same size; a negative level is not in use (see `RunLevel`). */
  level: number;
  count: number;
  chunks: number;
  /** The first fingerprint of each chunk: all high halves, then all low ones. */
  fences: Int32Array;
  filter: PrintFilter | undefined;
}

/** Levels below zero: chunks are being written by a merge, or wait to be deleted. */
export const RunLevel = { building: -1, garbage: -2 } as const;

/** 336 fingerprints of 12 bytes: with the row's header exactly one page of 4,096 bytes. */
export const chunkPrints = 336;
/** Words of a chunk: high half, low half and entry of each fingerprint. */
const chunkWidth = chunkPrints * 3;
/** Chunks are numbered within their run's span. */
const runSpan = 2 ** 24;

export interface PrintRuns {
  load(withFilters: boolean): PrintRun[];
  /** After a transaction was undone, numbers may be used again for other chunks. */
  forget(): void;
  /** The entry of a fingerprint in this run, or 0. */
  find(run: PrintRun, high: number, low: number): number;
  readChunk(run: PrintRun, index: number): Prints;
  writer(id: number, count: number): RunWriter;
  /** Enters a run without chunks of its own yet, so that a crash leaves nothing unaccounted for. */
  begin(id: number): void;
  setLevel(id: number, level: number): void;
  /** Deletes up to `limit` chunks of a run nobody reads; true when all are gone, the run with them. */
  erase(id: number, limit: number): boolean;
}

export interface RunWriter {
  add(high: number, low: number, entry: number): void;
  /** Writes the last chunk and enters the run. */
  finish(level: number): PrintRun;
}

/** `keptSlots`: chunks that are kept in memory once read. */
export function printRuns(db: Database, keptSlots: number): PrintRuns {
  const select = db.prepare('SELECT id, level, count, fences FROM seen_runs ORDER BY count DESC, id DESC');
  const selectFilter = db.prepare('SELECT filter FROM seen_runs WHERE id = ?');
  const upsert = db.prepare('INSERT OR REPLACE INTO seen_runs VALUES (?, ?, ?, ?, ?)');
  const setLevel = db.prepare('UPDATE seen_runs SET level = ? WHERE id = ?');
  const removeRun = db.prepare('DELETE FROM seen_runs WHERE id = ?');
  const selectChunk = db.prepare('SELECT data FROM seen_chunks WHERE id = ?');
  selectChunk.setReturnArrays(true);
  const insertChunk = db.prepare('INSERT INTO seen_chunks VALUES (?, ?)');
  const removeChunks = db.prepare(
    'DELETE FROM seen_chunks WHERE id IN (SELECT id FROM seen_chunks WHERE id BETWEEN ? AND ? LIMIT ?)',
  );

  function chunkWords(id: number, index: number): Int32Array {
    const row = selectChunk.get(id * runSpan + index) as unknown as [Uint8Array] | undefined;
    if (!row) throw new Error(`chunk ${index} of run ${id} is missing`);
    return asWords(row[0]);
  }

  // Made when the first chunk is read: a small crawl never needs it.
  let memory: KeptChunks | undefined;

  /** The slot in `kept.words` that has this chunk now. */
  function slotOf(id: number, index: number): number {
    memory ??= keptChunks(keptSlots);
    const kept = memory;
    const number = id * runSpan + index;
    const slot = (id * 7919 + index) % kept.slots;
    if (kept.numbers[slot] !== number) {
      const words = chunkWords(id, index);
      kept.words.set(words, slot * chunkWidth);
      kept.counts[slot] = words.length / 3;
      kept.numbers[slot] = number;
      release(words);
    }
    return slot;
  }

  return {
    forget: () => void memory?.numbers.fill(0),
    load(withFilters) {
      return (select.all() as { id: number; level: number; count: number; fences: Uint8Array }[]).map(
        (row) => {
          const fences = asWords(row.fences);
          const chunks = fences.length / 2;
          const filter =
            withFilters && row.level >= 0
              ? filterOn(asWords((selectFilter.get(row.id) as { filter: Uint8Array }).filter))
              : undefined;
          return {
            id: row.id,
            level: row.level,
            count: row.count,
            chunks,
            fences,
            filter,
          };
        },
      );
    },
    find(run, high, low) {
      if (run.filter && !run.filter.mayHave(high, low)) return 0;
      const index = lastNotAfter({ words: run.fences, from: 0, count: run.chunks }, high, low);
      if (index < 0) return 0;
      const slot = slotOf(run.id, index);
      const { words, counts } = memory as KeptChunks;
      const count = counts[slot] as number;
      const from = slot * chunkWidth;
      const at = from + lastNotAfter({ words, from, count }, high, low);
      if (at < from || words[at] !== high || words[at + count] !== low) return 0;
      return words[at + 2 * count] as number;
    },
    readChunk(run, index) {
      const words = chunkWords(run.id, index);
      const count = words.length / 3;
      return {
        high: words.subarray(0, count),
        low: words.subarray(count, 2 * count),
        entry: words.subarray(2 * count),
      };
    },
    writer: (id, count) => runWriter({ id, count, insertChunk, upsert }),
    begin: (id) => void upsert.run(id, RunLevel.building, 0, new Uint8Array(), new Uint8Array()),
    setLevel: (id, level) => void setLevel.run(level, id),
    erase(id, limit) {
      const { changes } = removeChunks.run(id * runSpan, (id + 1) * runSpan - 1, limit);
      if (Number(changes) === limit) return false;
      removeRun.run(id);
      return true;
    },
  };
}

type Insert = ReturnType<Database['prepare']>;

function runWriter(options: { id: number; count: number; insertChunk: Insert; upsert: Insert }): RunWriter {
  const { id, count, insertChunk, upsert } = options;
  const filter = emptyFilter(count);
  const size = Math.ceil(count / chunkPrints);
  const fences = new Int32Array(size * 2);
  const chunk = new Int32Array(chunkPrints * 3);
  let filled = 0;
  let chunks = 0;

  function write(): void {
    // Columns move together where the last chunk is not full.
    if (filled < chunkPrints) {
      chunk.copyWithin(filled, chunkPrints, chunkPrints + filled);
      chunk.copyWithin(2 * filled, 2 * chunkPrints, 2 * chunkPrints + filled);
    }
    fences[chunks] = chunk[0] as number;
    fences[size + chunks] = chunk[filled] as number;
    insertChunk.run(id * runSpan + chunks, asBytes(chunk.subarray(0, filled * 3)));
    chunks++;
    filled = 0;
  }

  return {
    add(high, low, entry) {
      chunk[filled] = high;
      chunk[chunkPrints + filled] = low;
      chunk[2 * chunkPrints + filled] = entry;
      filter.add(high, low);
      if (++filled === chunkPrints) write();
    },
    finish(level) {
      if (filled > 0) write();
      if (chunks !== size) throw new Error(`run ${id} has ${chunks} chunks instead of ${size}`);
      upsert.run(id, level, count, asBytes(fences), asBytes(filter.words));
      return { id, level, count, chunks, fences, filter };
    },
  };
}

/**
 * Index of the last fingerprint that is not after this one, -1 when all are. From `from` on there are
 * `count` high halves and then as many low ones.
 */
function lastNotAfter(
  { words, from, count }: { words: Int32Array; from: number; count: number },
  high: number,
  low: number,
): number {
  let left = 0;
  let right = count;
  while (left < right) {
    const middle = (left + right) >>> 1;
    const there = words[from + middle] as number;
    if (there < high || (there === high && (words[from + count + middle] as number) <= low))
      left = middle + 1;
    else right = middle;
  }
  return left - 1;
}

/** Gives a blob's memory back at once: the collector sees only its small handle and would let many pile up. */
export function release(words: Int32Array): void {
  (words.buffer as ArrayBuffer).transfer(0);
}

/** Chunks read lately, copied into one block of memory: as objects of their own they would tire the collector. */
type KeptChunks = ReturnType<typeof keptChunks>;

function keptChunks(slots: number) {
  // Written once, so that all of it is resident from now on: untouched pages would count as growth for as long as the
  // slots fill, which takes two million URLs.
  const words = new Int32Array(slots * chunkWidth).fill(0);
  return {
    slots,
    /** The chunk in each slot, 0 for none. Numbers are never used again for another chunk. */
    numbers: new Float64Array(slots),
    counts: new Int32Array(slots),
    words,
  };
}

export function asBytes(words: Int32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}

export function asWords(bytes: Uint8Array): Int32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Int32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}
