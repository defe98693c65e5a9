import { type Clock, type CrawlId, isStorageTrouble } from '@webfarer/protocol';
import type { ResultsCursor, ResultsPage, ResultsQuery, ResultsSource } from '../results/results.ts';
import { createEntryFrames, type EntryFrame } from './streamed.ts';

/**
 * The newest results of a crawl, read once for all who follow it. A follower that has read everything joins it; one that
 * falls behind reads from the store by itself until it has caught up. Pages are numbered from 1.
 */
export interface LogTail {
  /** The number of the latest page, 0 before the first; undefined: it has not begun. */
  readonly last: number | undefined;
  /** Behind the latest page and everything since that was of no interest. */
  readonly cursor: ResultsCursor | undefined;
  /** Begins behind a cursor, unless it has begun. Answers whether it was this call that began it. */
  begin(cursor: ResultsCursor): boolean;
  /** Begins at the newest result, unless it has begun: one question to the store, however many ask for it at once. */
  beginAtNewest(): Promise<void>;
  /** The page of this number; undefined: not there yet; `gone`: no longer kept, or the store lost what was read. */
  page(number: number): ResultsPage | 'gone' | undefined;
  /** Resolves when there is another page, when the tail has failed, or when the signal is given. */
  news(signal: AbortSignal): Promise<void>;
}

export interface LogTails {
  /** The tail of one question about a crawl; to be given back. */
  join(crawl: CrawlId, results: ResultsSource, query: ResultsQuery): { tail: LogTail; leave(): void };
  frameOf: EntryFrame;
}

/** Pages that stay in memory, and outcomes on each. */
const kept = { pages: 16, outcomes: 250 };
/** Between two looks at all groups, for what other processes have settled: often after such news, seldom after none. */
const lookMs = { least: 200, most: 2_000 };
/** And between two pages that are not full: what is settled within this time is one frame for every follower. */
const usualGatherMs = 250;

export function createLogTails(clock: Clock, gatherMs = usualGatherMs): LogTails {
  const tails = new Map<string, { tail: LogTail; members: number; end: AbortController }>();
  return {
    frameOf: createEntryFrames(),
    join(crawl, results, { kinds, filter, absent }) {
      const key = JSON.stringify([crawl, kinds, filter, absent]);
      let found = tails.get(key);
      if (!found) {
        const end = new AbortController();
        const query = { kinds, filter, absent, limit: kept.outcomes };
        const forget = () => void tails.delete(key);
        const tail = createLogTail({ crawl, results, query, clock, gatherMs, signal: end.signal, forget });
        found = { tail, members: 0, end };
        tails.set(key, found);
      }
      const mine = found;
      mine.members++;
      let isMember = true;
      return {
        tail: mine.tail,
        leave() {
          if (!isMember) return;
          isMember = false;
          if (--mine.members > 0) return;
          mine.end.abort();
          if (tails.get(key) === mine) tails.delete(key);
        },
      };
    },
  };
}

interface TailOptions {
  crawl: CrawlId;
  results: ResultsSource;
  query: ResultsQuery;
  clock: Clock;
  gatherMs: number;
  signal: AbortSignal;
  /** It has failed: those who come now begin another one. */
  forget: () => void;
}

function createLogTail(options: TailOptions): LogTail {
  const { crawl, results, query, clock, gatherMs, signal, forget } = options;
  const pages: ResultsPage[] = [];
  const waiting = new Set<() => void>();
  let last: number | undefined;
  let latest: ResultsCursor | undefined;
  let failed = false;
  let beginning: Promise<void> | undefined;

  function ring(): void {
    const woken = [...waiting];
    waiting.clear();
    for (const wake of woken) wake();
  }

  async function read(from: ResultsCursor): Promise<void> {
    const news = newsOf(crawl, results);
    let [cursor, everyMs, allAtMs] = [from, lookMs.least, clock.now()];
    try {
      while (!signal.aborted) {
        const told = news.take();
        const looksAtAll = told === 'anywhere' || clock.now() >= allAtMs;
        try {
          const page = looksAtAll
            ? await results.after(crawl, cursor, query)
            : await results.afterIn(crawl, cursor, query, told);
          latest = cursor = page.cursor;
          if (page.entries.length > 0) {
            pages.push(page);
            if (pages.length > kept.pages) pages.shift();
            last = (last ?? 0) + 1;
            ring();
          }
          if (page.more) {
            news.putBack(told);
            continue;
          }
          if (looksAtAll) {
            const isForeign = told !== 'anywhere' && page.entries.some(({ group }) => !told.has(group));
            everyMs = isForeign ? lookMs.least : Math.min(everyMs * 2, lookMs.most);
            allAtMs = clock.now() + everyMs;
          }
          await clock.sleep(gatherMs, signal).catch(() => undefined);
          const leftMs = Math.max(0, allAtMs - clock.now());
          await clock.sleep(leftMs, AbortSignal.any([signal, news.signal()])).catch(() => undefined);
        } catch (error) {
          if (!isStorageTrouble(error)) throw error;
          news.putBack('anywhere');
          await clock.sleep(lookMs.most, signal).catch(() => undefined);
        }
      }
    } finally {
      news.end();
    }
  }

  function begin(cursor: ResultsCursor): boolean {
    if (last !== undefined) return false;
    last = 0;
    latest = cursor;
    // Whoever reads by itself meets the same error, and can tell its reader.
    read(cursor).catch(() => {
      failed = true;
      forget();
      ring();
    });
    return true;
  }

  return {
    get last() {
      return last;
    },
    get cursor() {
      return latest;
    },
    begin,
    async beginAtNewest() {
      if (last !== undefined) return;
      beginning ??= results
        .newest(crawl)
        .then((cursor) => void begin(cursor))
        .finally(() => {
          beginning = undefined;
        });
      await beginning;
    },
    page(number) {
      if (failed) return 'gone';
      const oldest = (last ?? 0) - pages.length + 1;
      if (number < oldest) return 'gone';
      return pages[number - oldest];
    },
    news: (stop) =>
      new Promise((resolve) => {
        if (stop.aborted || failed) return resolve();
        const wake = () => {
          stop.removeEventListener('abort', wake);
          waiting.delete(wake);
          resolve();
        };
        stop.addEventListener('abort', wake, { once: true });
        waiting.add(wake);
      }),
  };
}

/** In which groups this process has settled something of a crawl, since that was last asked. */
interface News {
  take(): ReadonlySet<number> | 'anywhere';
  putBack(groups: ReadonlySet<number> | 'anywhere'): void;
  /** Given when there is some. */
  signal(): AbortSignal;
  end(): void;
}

function newsOf(crawl: CrawlId, results: ResultsSource): News {
  let groups: Set<number> | 'anywhere' = new Set();
  let came = new AbortController();

  function add(more: readonly number[] | ReadonlySet<number> | 'anywhere'): void {
    if (more === 'anywhere') groups = more;
    else if (groups !== 'anywhere') for (const group of more) groups.add(group);
    if (groups === 'anywhere' || groups.size > 0) came.abort();
  }

  return {
    take() {
      const taken = groups;
      groups = new Set();
      came = new AbortController();
      return taken;
    },
    putBack: add,
    signal: () => came.signal,
    end: results.onSettled((news) => {
      if (news === 'anywhere') add(news);
      else if (news.crawl === crawl) add([news.group]);
    }),
  };
}
