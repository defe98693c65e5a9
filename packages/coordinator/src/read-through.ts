import type { Clock } from '@webfarer/protocol';
import type { CatalogEntry } from './catalog/catalog.ts';
import type { FrontierOf, ReadFrontier } from './frontier-of.ts';
import type { ResultEntry, ResultKind, ResultsCursor } from './results/results.ts';

const outcomesAtOnce = 1_000;
/** Taken in before others have the event loop again. */
const entriesAtOnce = 250;

/** How far the results of a crawl were read, from front to back. */
export interface ReadThrough {
  entry: CatalogEntry;
  cursor: ResultsCursor | undefined;
  isRead: boolean;
  /** Outcomes. */
  read: number;
  /** Results in files that are on another machine. */
  absent: number;
  known: number;
}

export const notRead = (entry: CatalogEntry, known: number): ReadThrough => ({
  entry,
  cursor: undefined,
  isRead: false,
  read: 0,
  absent: 0,
  known,
});

interface ReadOnOptions {
  reading: FrontierOf['reading'];
  clock: Clock;
  untilMs: number;
  kinds: readonly ResultKind[];
  take: (entries: readonly ResultEntry[]) => void;
}

/** Reads further for a while. */
export async function readOn(through: ReadThrough, options: ReadOnOptions): Promise<void> {
  const { clock, untilMs, kinds, take } = options;
  await options.reading(through.entry, async ({ results }: ReadFrontier) => {
    while (!through.isRead && clock.now() < untilMs) {
      const page = await results.after(through.entry.id, through.cursor, {
        kinds,
        filter: {},
        limit: outcomesAtOnce,
        absent: 'pass',
      });
      for (let at = 0; at < page.entries.length; at += entriesAtOnce) {
        const entries = page.entries.slice(at, at + entriesAtOnce);
        take(entries);
        through.read += entries.filter(({ kind }) => kind === 'record').length;
        await nextTurn();
      }
      for (const absent of page.absent) through.absent += absent.records;
      through.cursor = page.cursor;
      through.isRead = !page.more;
    }
  });
}

/** Awaiting an answer that is already there lets nobody else have the event loop. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
