import { createHash } from 'node:crypto';
import { WebfarerError } from '@webfarer/protocol';
import type { ComparisonPage, ComparisonSearch, CrawlComparisons } from './api/call/crawl-comparisons.ts';
import type { CatalogEntry } from './catalog/catalog.ts';
import { type ComparisonTable, openComparisonTable } from './crawl/comparing/comparison-table.ts';
import { frontierOf, type FrontierOfOptions, type ReadFrontier } from './frontier-of.ts';
import type { ResultsCursor } from './results/results.ts';

/** A request works about this long, and answers how far it has come. */
const stepMs = 300;
const recordsAtOnce = 1_000;
/** Written or judged before others have the event loop again. */
const rowsAtOnce = 250;
/** Each is a temporary file of about 300 bytes for each URL. */
const mostKept = 3;
const keptMs = 15 * 60_000;

interface Side {
  entry: CatalogEntry;
  cursor: ResultsCursor | undefined;
  isRead: boolean;
  read: number;
  /** Results in files that are on another machine. */
  absent: number;
  known: number;
}

interface Comparison {
  id: string;
  atMs: number;
  usedAtMs: number;
  now: Side;
  before: Side;
  /** Whether the later crawl was over before its results were read. */
  isOver: boolean;
  table: ComparisonTable;
  isReady: boolean;
  /** Steps of one comparison are taken one after the other. */
  turn: Promise<void>;
}

/**
 * Compares the pages of two crawls. A store finds the record of one URL only by reading all of its group, so both crawls are
 * read once, from front to back, into a temporary file that knows all URLs of both. That work is done by the requests that
 * ask for it, a step in each, so that nothing runs for a reader who is gone.
 */
export function createCrawlComparisons(options: FrontierOfOptions): CrawlComparisons {
  const { clock } = options;
  const { reading } = frontierOf(options);
  const kept = new Map<string, Comparison>();
  const closing = new AbortController();
  let isWatching = false;

  function drop(comparison: Comparison): void {
    kept.delete(comparison.id);
    // Not under a step that is being taken.
    void comparison.turn.then(() => comparison.table.close());
  }

  function dropOld(): void {
    const oldMs = clock.now() - keptMs;
    for (const each of kept.values()) if (each.usedAtMs < oldMs) drop(each);
  }

  /** What crawls say of people's pages is not kept for longer than somebody looks at it. */
  function watchOld(): void {
    if (isWatching) return;
    isWatching = true;
    void (async () => {
      try {
        while (kept.size > 0) {
          await clock.sleep(keptMs / 3, closing.signal);
          dropOld();
        }
      } catch {
        // Closed meanwhile.
      }
      isWatching = false;
    })();
  }

  async function known(entry: CatalogEntry): Promise<{ text: string; known: number }> {
    const balance = await reading(entry, (from) => from.balance(entry.id));
    return { text: JSON.stringify([entry.nonce, balance]), known: balance.known };
  }

  /** The comparison of both as they are now. Its id follows from them: other coordinators name it the same. */
  async function begin(
    entry: CatalogEntry,
    other: CatalogEntry,
    wanted: string,
  ): Promise<Comparison | undefined> {
    const [now, before] = await Promise.all([known(entry), known(other)]);
    const id = createHash('sha256').update(`${now.text} ${before.text}`).digest('base64url').slice(0, 16);
    if (wanted !== '' && wanted !== id) return undefined;
    const found = kept.get(id);
    if (found) return found;
    const state = await reading(entry, (from) => from.state(entry.id));
    const begun = kept.get(id);
    if (begun) return begun;
    const atMs = Math.round(clock.now());
    const side = (of: CatalogEntry, total: number): Side => ({
      entry: of,
      cursor: undefined,
      isRead: false,
      read: 0,
      absent: 0,
      known: total,
    });
    const comparison: Comparison = {
      id,
      atMs,
      usedAtMs: atMs,
      now: side(entry, now.known),
      before: side(other, before.known),
      isOver: state === 'finished',
      table: openComparisonTable(),
      isReady: false,
      turn: Promise.resolve(),
    };
    const oldest = [...kept.values()].toSorted((a, b) => a.usedAtMs - b.usedAtMs);
    for (const each of oldest.slice(0, Math.max(0, kept.size + 1 - mostKept))) drop(each);
    kept.set(id, comparison);
    watchOld();
    return comparison;
  }

  async function readSide(comparison: Comparison, name: 'now' | 'before', untilMs: number): Promise<void> {
    const side = comparison[name];
    await reading(side.entry, async ({ results }: ReadFrontier) => {
      while (!side.isRead && clock.now() < untilMs) {
        const page = await results.after(side.entry.id, side.cursor, {
          kinds: ['record'],
          filter: {},
          limit: recordsAtOnce,
          absent: 'pass',
        });
        const records = page.entries.flatMap((each) => (each.kind === 'record' ? [each.record] : []));
        for (let at = 0; at < records.length; at += rowsAtOnce) {
          comparison.table.add(name, records.slice(at, at + rowsAtOnce));
          await nextTurn();
        }
        side.read += records.length;
        for (const absent of page.absent) side.absent += absent.records;
        side.cursor = page.cursor;
        side.isRead = !page.more;
      }
    });
  }

  async function step(comparison: Comparison): Promise<void> {
    const untilMs = clock.now() + stepMs;
    const { now, before, table } = comparison;
    for (const name of ['before', 'now'] as const)
      if (!comparison[name].isRead) await readSide(comparison, name, untilMs);
    if (!now.isRead || !before.isRead) return;
    const facts = {
      isNowWhole: comparison.isOver && now.absent === 0,
      isBeforeWhole: before.absent === 0,
      isRecrawl: now.entry.previous?.nonce === before.entry.nonce,
    };
    while (!comparison.isReady && clock.now() < untilMs) {
      comparison.isReady = !table.judgeMore(rowsAtOnce, facts);
      await nextTurn();
    }
  }

  async function take(comparison: Comparison): Promise<void> {
    const mine = comparison.turn.then(() => (comparison.isReady ? undefined : step(comparison)));
    comparison.turn = mine.catch(() => undefined);
    await mine;
  }

  return {
    async compare(entry, other, search) {
      dropOld();
      const comparison = kept.get(search.id) ?? (await begin(entry, other, search.id));
      const isMeant =
        comparison?.now.entry.nonce === entry.nonce && comparison.before.entry.nonce === other.nonce;
      if (!comparison || !isMeant) throw gone();
      comparison.usedAtMs = clock.now();
      await take(comparison);
      if (!kept.has(comparison.id)) throw gone();
      return shown(comparison, search);
    },
    forget({ nonce }) {
      for (const each of kept.values())
        if (each.now.entry.nonce === nonce || each.before.entry.nonce === nonce) drop(each);
    },
    close() {
      closing.abort();
      for (const each of kept.values()) drop(each);
    },
  };
}

/** Awaiting an answer that is already there lets nobody else have the event loop. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

function shown(comparison: Comparison, { change, after, limit }: ComparisonSearch): ComparisonPage {
  const { id, atMs, isReady, now, before, table } = comparison;
  const progress = ({ read, known: total, absent }: Side) => ({ read, known: total, absent });
  const head = { id, atMs, isReady, now: progress(now), before: progress(before) };
  if (!isReady) return { ...head, sums: undefined, pages: [], next: undefined };
  const pages = change === undefined ? [] : table.list(change, after, limit);
  const next = pages.length === limit ? pages.at(-1)?.url : undefined;
  return { ...head, sums: table.sums(), pages, next };
}

function gone(): WebfarerError {
  return new WebfarerError('cursor-stale', 'the comparison is no longer kept, and the crawls have moved on', {
    next: 'Leave out id to compare the crawls anew.',
  });
}
