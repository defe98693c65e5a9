import { createHash, randomBytes } from 'node:crypto';
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

/** Of ids, in base64url. */
const idBytes = 12;

interface Comparison extends KeptWork {
  /** What both crawls were like when it was begun: other coordinators name the same state the same. */
  place: string;
  /**
   * What was read is not what `place` names: a crawl has moved on meanwhile, or not all results were at hand. Undefined: not
   * all was read yet.
   */
  isOwn: boolean | undefined;
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
 *
 * Each request may reach another coordinator. Where the crawls do not move, all of them make the same comparison and name it
 * the same. One that others could not make has an id that only this coordinator knows, so that two pages of a list with one
 * id are always of one comparison.
 */
export function createCrawlComparisons(options: FrontierOfOptions): CrawlComparisons {
  const { clock } = options;
  const { reading } = frontierOf(options);
  const kept = createKeptWorks<Comparison>({ clock, mostKept, keptMs });

  const stateOf = async (entry: CatalogEntry) =>
    await reading(entry, async (from) => {
      const [balance, state, newest] = await Promise.all([
        from.balance(entry.id),
        from.state(entry.id),
        from.results.newest(entry.id),
      ]);
      return { balance, state, newest };
    });

  async function placeOf(entry: CatalogEntry, other: CatalogEntry) {
    const [now, before] = await Promise.all([stateOf(entry), stateOf(other)]);
    const text = JSON.stringify([entry.nonce, now, other.nonce, before]);
    return {
      id: createHash('sha256').update(text).digest().subarray(0, idBytes).toString('base64url'),
      now,
      before,
    };
  }

  /** The comparison of both as they are now; undefined: that is not the one that is `wanted`. */
  async function begin(
    entry: CatalogEntry,
    other: CatalogEntry,
    wanted: string | undefined,
  ): Promise<Comparison | undefined> {
    const place = await placeOf(entry, other);
    if (wanted !== undefined && wanted !== place.id) return undefined;
    const found = kept.find((each) => each.place === place.id);
    if (found) return found;
    const atMs = Math.round(clock.now());
    const table = openComparisonTable();
    const comparison: Comparison = {
      id: randomBytes(idBytes).toString('base64url'),
      place: place.id,
      isOwn: undefined,
      atMs,
      usedAtMs: atMs,
      now: notRead(entry, place.now.balance.known),
      before: notRead(other, place.before.balance.known),
      isOver: place.now.state === 'finished',
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
    const isWhole = now.absent + before.absent === 0;
    comparison.isOwn ??= !isWhole || (await placeOf(now.entry, before.entry)).id !== comparison.place;
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
      const { change, limit } = search;
      const from = change === undefined ? undefined : cursorIn(search.after);
      const wanted = from?.id ?? search.id;
      const isList = change !== undefined && wanted !== '';
      const isMeant = ({ now, before }: Comparison) =>
        now.entry.nonce === entry.nonce && before.entry.nonce === other.nonce;
      // A list is of the comparison that it names. Who waits for one gets on with what this coordinator has begun: it would
      // not find a crawl that runs as another one has left it, and begin anew each time.
      const comparison =
        kept.find(({ id, place }) => id === wanted || place === wanted) ??
        (isList ? undefined : kept.find((each) => !each.isReady && isMeant(each))) ??
        (await begin(entry, other, isList ? wanted : undefined));
      if (!comparison || !isMeant(comparison)) throw gone();
      await kept.take(comparison, step);
      if (!kept.has(comparison)) throw gone();
      if (isList && wanted !== comparison.id && wanted !== idOf(comparison)) throw gone();
      return shown(comparison, { change, after: from?.url ?? '', limit });
    },
    forget({ nonce }) {
      kept.dropWhere(({ now, before }) => now.entry.nonce === nonce || before.entry.nonce === nonce);
    },
    close: () => kept.close(),
  };
}

const idOf = ({ isOwn, id, place }: Comparison): string => (isOwn ? id : place);

/** Behind the id there is one character, then the URL. */
const idLength = Math.ceil((idBytes * 4) / 3);
function cursorIn(after: string): { id: string; url: string } | undefined {
  return after === '' ? undefined : { id: after.slice(0, idLength), url: after.slice(idLength + 1) };
}

function shown(
  comparison: Comparison,
  { change, after, limit }: Omit<ComparisonSearch, 'id'>,
): ComparisonPage {
  const { atMs, isReady, now, before, table } = comparison;
  const progress = ({ read, known: total, absent }: ReadThrough) => ({ read, known: total, absent });
  const head = { id: idOf(comparison), atMs, isReady, now: progress(now), before: progress(before) };
  if (!isReady) return { ...head, sums: undefined, pages: [], next: undefined };
  const pages = change === undefined ? [] : table.list(change, after, limit);
  const last = pages.length === limit ? pages.at(-1)?.url : undefined;
  return { ...head, sums: table.sums(), pages, next: last && `${head.id}.${last}` };
}

function gone(): WebfarerError {
  return new WebfarerError(
    'cursor-stale',
    'this coordinator does not keep the comparison, and the crawls have moved on',
    {
      next: 'Repeat the request where several coordinators share the crawls, or leave out id and after to compare them anew.',
    },
  );
}
