import type { Clock, CrawlId } from '@webfarer/protocol';
import { groupPlaces, hasSeen, laterCursor } from '../results/cursor.ts';
import type { ResultEntry, ResultsCursor, ResultsQuery, ResultsSource } from '../results/results.ts';
import type { LogTail, LogTails } from './log-tail.ts';
import type { PageGate } from './page-gate.ts';

export interface LogReaderOptions {
  crawl: CrawlId;
  results: ResultsSource;
  query: ResultsQuery;
  /** Undefined: from the start. */
  cursor: ResultsCursor | undefined;
  tails: LogTails;
  gate: PageGate;
  clock: Clock;
}

/** What was read next. Without entries: nothing new, up to the cursor. */
export interface LogPage {
  entries: ResultEntry[];
  cursor: ResultsCursor;
  /** Of a single entry: behind its outcome. */
  cursorAt(index: number): ResultsCursor;
  /** The next page can be had at once. */
  more: boolean;
  /** The store itself was asked in this call and had nothing beyond this. */
  isAll: boolean;
  /** Results that are waited for, because their files are not at hand. */
  absent: number;
}

/** Reads on from a cursor: from the store until nothing is left, then from the tail that all followers share. */
export interface LogReader {
  /** Where it stands; undefined: at the start. */
  readonly at: ResultsCursor | undefined;
  /** Goes to the newest result, where all who follow are; it has read nothing so far. */
  goToTip(): Promise<void>;
  /** The next page that has something, or an empty one when nothing came within `waitMs`. */
  next(waitMs: number, signal: AbortSignal): Promise<LogPage>;
  /** Leaves the tail; the next page is read from the store, at once. */
  detach(): void;
}

export function openLogReader(options: LogReaderOptions): LogReader {
  const { crawl, results, query, tails, gate, clock } = options;
  let at = options.cursor;
  let absent = 0;
  let member: { tail: LogTail; leave(): void } | undefined;
  /** The page of the tail that comes next; undefined: reads from the store. */
  let following: number | undefined;
  /** Has read exactly what the tail had before that page, no more. */
  let aligned = false;

  function detach(): void {
    member?.leave();
    member = undefined;
    following = undefined;
  }

  /** From the store. Once nothing is left there it joins the tail, which must have begun before that was read. */
  async function fromStore(signal: AbortSignal): Promise<LogPage | undefined> {
    member ??= tails.join(crawl, results, query);
    const { tail } = member;
    for (;;) {
      let before: number | undefined;
      const page = await gate.read(signal, () => {
        before = tail.last;
        return results.after(crawl, at, query);
      });
      await nextTurn();
      at = page.cursor;
      absent = page.absent.reduce((sum, { records }) => sum + records, 0);
      const isAll = !page.more;
      if (isAll && before !== undefined) [following, aligned] = [before + 1, false];
      else if (isAll && tail.begin(page.cursor)) [following, aligned] = [1, true];
      if (page.entries.length > 0)
        return { entries: page.entries, cursor: at, cursorAt: page.cursorAt, more: page.more, isAll, absent };
      gate.dropped();
      if (following !== undefined) return undefined;
    }
  }

  /** From the tail, without what was read from the store already. */
  function fromTail({ tail }: { tail: LogTail }): LogPage | 'gone' | undefined {
    const page = tail.page(following ?? 0);
    if (page === undefined || page === 'gone') return page;
    following = (following ?? 0) + 1;
    const about = { more: following <= (tail.last ?? 0), isAll: false, absent };
    const before = at as ResultsCursor;
    if (aligned) {
      at = page.cursor;
      return { entries: page.entries, cursor: at, cursorAt: page.cursorAt, ...about };
    }
    const places = groupPlaces(before);
    const [entries, indexes]: [ResultEntry[], number[]] = [[], []];
    for (const [index, entry] of page.entries.entries()) {
      if (hasSeen(places.get(entry.group), entry.place)) continue;
      entries.push(entry);
      indexes.push(index);
    }
    at = laterCursor(before, page.cursor);
    aligned = at === page.cursor;
    const cursorAt = (index: number) => laterCursor(before, page.cursorAt(indexes[index] as number));
    return { entries, cursor: at, cursorAt, ...about };
  }

  return {
    get at() {
      return at;
    },
    detach,
    async goToTip() {
      detach();
      member = tails.join(crawl, results, query);
      const { tail } = member;
      await tail.beginAtNewest();
      // It has begun, so it has both.
      [at, following, aligned] = [tail.cursor, (tail.last ?? 0) + 1, true];
    },
    async next(waitMs, signal) {
      const untilMs = clock.now() + waitMs;
      let isAll = false;
      for (;;) {
        signal.throwIfAborted();
        if (!member || following === undefined) {
          const page = await fromStore(signal);
          if (page) return page;
          isAll = true;
          continue;
        }
        const page = fromTail(member);
        if (page === 'gone') {
          detach();
          continue;
        }
        if (page && page.entries.length > 0) return page;
        if (page) continue;
        const leftMs = untilMs - clock.now();
        if (leftMs <= 0) {
          const { cursor, last = 0 } = member.tail;
          if (aligned && following > last) at = cursor ?? at;
          return { entries: [], cursor: at as ResultsCursor, cursorAt: nowhere, more: false, isAll, absent };
        }
        await within(leftMs, signal, member.tail);
      }
    },
  };

  async function within(ms: number, signal: AbortSignal, tail: LogTail): Promise<void> {
    const over = new AbortController();
    const stop = AbortSignal.any([signal, over.signal]);
    const timer = clock.sleep(ms, stop).catch(() => undefined);
    await Promise.race([tail.news(stop), timer]);
    over.abort();
  }
}

/** A store in a file answers without ever giving others the event loop: a reader that catches up would keep it. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

function nowhere(): never {
  throw new RangeError('an empty page has no entries');
}
