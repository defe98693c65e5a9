import type { Url } from '@webfarer/protocol';
import type { Fingerprinter } from '@webfarer/protocol/url';
import type { Database } from '../../../sqlite/node-sqlite.ts';
import { type PrintMerge, printMerge } from '../prints/merge.ts';
import { asBytes, asWords, type PrintRun, printRuns, RunLevel } from '../prints/runs.ts';
import { printTable } from '../prints/table.ts';

/**
 * Which URLs are known: exact, on disk, and flat in cost. New fingerprints go to a table in memory and, with
 * their commit, to `seen_tail`; full tables become sorted runs, and four runs of a level one of the next.
 * docs/decisions/0002-sqlite-seen-set.md says why.
 */
export interface SeenRows {
  /** The entry this URL belongs to, 0 when it is new. */
  find(print: Fingerprinter, url: Url): number;
  /** Makes the URL known that `find` was last asked for and did not know. */
  addLast(entry: number): void;
  /** Writes what is new into the open transaction, and does a share of the upkeep. */
  flush(): void;
  reload(): void;
}

export interface SeenSizes {
  /** Fingerprints in memory before they become a run. */
  table: number;
  /** Commits in the tail before it is folded, full table or not. */
  tail: number;
  /** Runs of one level before they become one of the next. */
  runsPerLevel: number;
  /** Fingerprints moved by merges for each new one. Each moves once per level, so 5 or 6 keep up for ever. */
  pace: number;
  /** Chunks kept in memory: 6,143 take 24 MiB and hold 2 million fingerprints. */
  kept: number;
  /** Known URLs asked for lately that are kept in memory; a power of two. */
  recent: number;
}

const defaults: SeenSizes = {
  table: 65_536,
  tail: 4096,
  runsPerLevel: 4,
  pace: 8,
  kept: 6143,
  recent: 32_768,
};
/** Chunks of merged runs deleted per commit. */
const erasedAtOnce = 200;

export interface SeenOptions {
  /** A reader looks at few URLs and needs no filters. */
  readOnly?: boolean;
  sizes?: Partial<SeenSizes>;
}

export function seenRows(db: Database, { readOnly = false, sizes = {} }: SeenOptions = {}): SeenRows {
  const { table: capacity, tail: tailLimit, runsPerLevel, pace, ...cache } = { ...defaults, ...sizes };
  const insertTail = db.prepare('INSERT INTO seen_tail (data) VALUES (?)');
  const selectTail = db.prepare('SELECT data FROM seen_tail ORDER BY id');
  const clearTail = db.prepare('DELETE FROM seen_tail');
  const disk = printRuns(db, cache.kept);
  const table = printTable();
  const recent = recentPrints(cache.recent);
  const halves = new Int32Array(2);
  let high = 0;
  let low = 0;
  let fresh: number[] = [];
  let tailRows = 0;
  let runs: PrintRun[] = [];
  let garbage: number[] = [];
  let merges: PrintMerge[] = [];
  let lastRun = 0;
  let loaded = false;

  function load(): void {
    loaded = true;
    table.clear();
    fresh = [];
    merges = [];
    const rows = selectTail.all() as { data: Uint8Array }[];
    tailRows = rows.length;
    for (const { data } of rows) {
      const words = asWords(data);
      for (let i = 0; i < words.length; i += 3) {
        table.add(words[i] as number, words[i + 1] as number, words[i + 2] as number);
      }
    }
    const all = disk.load(!readOnly);
    runs = all.filter((run) => run.level >= 0);
    // A merge that was cut off starts over; what it wrote goes.
    garbage = all.filter((run) => run.level < 0).map((run) => run.id);
    lastRun = Math.max(0, ...all.map((run) => run.id));
  }

  function find(print: Fingerprinter, url: Url): number {
    if (!loaded) load();
    print.into(url, halves);
    low = halves[0] as number;
    high = halves[1] as number;
    return table.find(high, low) || recent.find(high, low) || findInRuns();
  }

  function findInRuns(): number {
    for (const run of runs) {
      const found = disk.find(run, high, low);
      if (found === 0) continue;
      recent.put(high, low, found);
      return found;
    }
    return 0;
  }

  /** The table becomes a run of the lowest level. */
  function fold(): void {
    const prints = table.sorted();
    const writer = disk.writer(++lastRun, prints.high.length);
    for (let i = 0; i < prints.high.length; i++) {
      writer.add(prints.high[i] as number, prints.low[i] as number, prints.entry[i] as number);
    }
    enter(writer.finish(0));
    table.clear();
    clearTail.run();
    tailRows = 0;
  }

  /** Largest first: that is where most known URLs are. */
  function enter(run: PrintRun): void {
    runs = [...runs, run].toSorted((a, b) => b.count - a.count);
    const busy = new Set(merges.flatMap((merge) => merge.sources));
    const idle = runs.filter((one) => one.level === run.level && !busy.has(one));
    if (idle.length < runsPerLevel) return;
    merges.push(printMerge(disk, { sources: idle, id: ++lastRun, level: run.level + 1 }));
    merges.sort((a, b) => (a.sources[0]?.level ?? 0) - (b.sources[0]?.level ?? 0));
  }

  /** Small merges go first, so that the number of runs stays small while a large one takes its time. */
  function merge(budget: number): void {
    for (let left = budget; left > 0 && merges[0]; ) {
      const step = merges[0].step(left);
      left = step.left;
      if (!step.run) return;
      const { sources } = merges.shift() as PrintMerge;
      for (const { id } of sources) disk.setLevel(id, RunLevel.garbage);
      garbage.push(...sources.map(({ id }) => id));
      runs = runs.filter((run) => !sources.includes(run));
      enter(step.run);
    }
  }

  function eraseSome(): void {
    const id = garbage[0];
    if (id !== undefined && disk.erase(id, erasedAtOnce)) garbage.shift();
  }

  function flush(): void {
    if (fresh.length === 0) return;
    const added = fresh.length / 3;
    if (table.size >= capacity || tailRows >= tailLimit) fold();
    else {
      insertTail.run(asBytes(Int32Array.from(fresh)));
      tailRows++;
    }
    fresh = [];
    merge(added * pace);
    eraseSome();
  }

  return {
    find,
    addLast(entry) {
      table.add(high, low, entry);
      fresh.push(high, low, entry);
      // One transaction may bring more than the table has room for.
      if (table.size >= capacity * 2) flush();
    },
    flush,
    reload() {
      loaded = false;
      fresh = [];
      recent.clear();
      disk.forget();
    },
  };
}

/** Known URLs asked for lately, such as the links of every page's navigation: no disk is touched for them. */
function recentPrints(slots: number) {
  // One empty slot until a URL is found on disk: a crawl that has only begun is never asked for one there.
  let mask = 0;
  let [highs, lows, entries] = columns(1);
  return {
    find(high: number, low: number): number {
      const slot = low & mask;
      return highs[slot] === high && lows[slot] === low ? (entries[slot] as number) : 0;
    },
    put(high: number, low: number, entry: number) {
      if (mask === 0) {
        mask = slots - 1;
        [highs, lows, entries] = columns(slots);
      }
      const slot = low & mask;
      highs[slot] = high;
      lows[slot] = low;
      entries[slot] = entry;
    },
    clear: () => void entries.fill(0),
  };
}

function columns(slots: number): [Int32Array, Int32Array, Int32Array] {
  return [new Int32Array(slots), new Int32Array(slots), new Int32Array(slots)];
}
