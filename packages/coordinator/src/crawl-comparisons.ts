import { createHash } from 'node:crypto';
import { WebfarerError } from '@webfarer/protocol';
import type { ComparisonPage, ComparisonSearch, CrawlComparisons } from './api/call/crawl-comparisons.ts';
import type { CatalogEntry } from './catalog/catalog.ts';
import { type ComparisonTable, openComparisonTable } from './crawl/comparing/comparison-table.ts';
import { frontierOf, type FrontierOfOptions } from './frontier-of.ts';
import { createKeptWorks, type KeptWork } from './kept-works.ts';
import { nextTurn, notRead, readOn, type ReadThrough } from './read-through.ts';

/** A request works about this long, and answers how far it has come. */
const stepMs = 300;
/** Judged before others have the event loop again. */
const rowsAtOnce = 250;
/** Each is a temporary file of about 300 bytes for each URL. */
const mostKept = 3;
const keptMs = 15 * 60_000;

interface Comparison extends KeptWork {
  atMs: number;
  now: ReadThrough;
  before: ReadThrough;
  /** Whether the later crawl was over before its results were read. */
  isOver: boolean;
  table: ComparisonTable;
}

/**
 * Compares the pages of two crawls. A store finds the record of one URL only by reading all of its group, so both crawls are
 * read once, from front to back, into a temporary file that knows all URLs of both. That work is done by the requests that
 * ask for it, a step in each, so that nothing runs for a reader who is gone.
 */
export function createCrawlComparisons(options: FrontierOfOptions): CrawlComparisons {
  const { clock } = options;
  const { reading } = frontierOf(options);
  const kept = createKeptWorks<Comparison>({ clock, mostKept, keptMs });

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
    const table = openComparisonTable();
    const comparison: Comparison = {
      id,
      atMs,
      usedAtMs: atMs,
      now: notRead(entry, now.known),
      before: notRead(other, before.known),
      isOver: state === 'finished',
      table,
      isReady: false,
      turn: Promise.resolve(),
      close: () => table.close(),
    };
    kept.add(comparison);
    return comparison;
  }

  async function step(comparison: Comparison): Promise<void> {
    const untilMs = clock.now() + stepMs;
    const { now, before, table } = comparison;
    for (const name of ['before', 'now'] as const) {
      if (comparison[name].isRead) continue;
      await readOn(comparison[name], {
        reading,
        clock,
        untilMs,
        kinds: ['record'],
        take: (entries) =>
          table.add(
            name,
            entries.flatMap((each) => (each.kind === 'record' ? [each.record] : [])),
          ),
      });
    }
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

  return {
    async compare(entry, other, search) {
      kept.dropOld();
      const comparison = kept.get(search.id) ?? (await begin(entry, other, search.id));
      const isMeant =
        comparison?.now.entry.nonce === entry.nonce && comparison.before.entry.nonce === other.nonce;
      if (!comparison || !isMeant) throw gone();
      await kept.take(comparison, step);
      if (!kept.has(comparison)) throw gone();
      return shown(comparison, search);
    },
    forget({ nonce }) {
      kept.dropWhere(({ now, before }) => now.entry.nonce === nonce || before.entry.nonce === nonce);
    },
    close: () => kept.close(),
  };
}

function shown(comparison: Comparison, { change, after, limit }: ComparisonSearch): ComparisonPage {
  const { id, atMs, isReady, now, before, table } = comparison;
  const progress = ({ read, known: total, absent }: ReadThrough) => ({ read, known: total, absent });
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
