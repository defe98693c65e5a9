import type { Clock, CrawlState } from '@webfarer/protocol';
import { isOver } from '@webfarer/protocol/crawl';
import type { StreamedEntry } from '@webfarer/protocol/api';
import type { RecordFilter, ResultEntry, ResultKind } from '../results/results.ts';
import type { CrawlHome } from './crawl-home.ts';
import { beginning, cursorOf } from './follow-log.ts';
import { openLogReader } from './log-reader.ts';
import type { LogTails } from './log-tail.ts';
import type { PageGate } from './page-gate.ts';
import { streamed } from './streamed.ts';

export interface ReadLogOptions {
  home: CrawlHome;
  kinds: readonly ResultKind[];
  filter: RecordFilter;
  /** Undefined: from the start. */
  after: string | undefined;
  /** How long to wait for the first outcome where there is none. */
  waitMs: number;
  /** Outcomes, at most. */
  limit: number;
  tails: LogTails;
  gate: PageGate;
  clock: Clock;
  signal: AbortSignal;
}

/** One line. The last line of an outcome has the token behind it; the lines before it, if there are any, have none. */
export type LogLine = (StreamedEntry & { token?: string }) | LogBookmark;

/** The last line, also where nothing was found. */
export interface LogBookmark {
  kind: 'bookmark';
  /** Behind everything that was looked at. */
  token: string;
  /** There is more already. */
  more: boolean;
  state: CrawlState;
  /** The crawl is over, and all of its results were read. */
  over: boolean;
  /** Results in files that are not at hand: they come once the files are. */
  absent?: number;
}

/** Outcomes that are read at once; a reader that stops reading has at most so many waiting for it. */
const pageOutcomes = 200;
/** How often a crawl without news is asked whether it is over. */
const lookMs = 500;

/** The results behind a token as far as they are there, then a bookmark. Reads no further than its reader does. */
export async function* readLog(options: ReadLogOptions): AsyncGenerator<LogLine, void, void> {
  const { home, kinds, filter, limit, waitMs, tails, gate, clock, signal } = options;
  let token = options.after ?? beginning;
  let left = limit;
  let untilMs = clock.now() + waitMs;
  const query = { kinds, filter, limit: Math.min(pageOutcomes, limit), absent: 'hold' as const };
  const cursor = cursorOf(options.after);
  const reader = openLogReader({ crawl: home.id, results: home.results, query, cursor, tails, gate, clock });
  try {
    for (;;) {
      // Asked before the results: what was settled before it was over is among them.
      const state = await home.state();
      if (isOver({ state })) reader.detach();
      const leftMs = isOver({ state }) ? 0 : Math.max(0, untilMs - clock.now());
      const page = await reader.next(Math.min(leftMs, lookMs), signal);
      if (page.entries.length === 0 && leftMs > 0) continue;
      let passed = 0;
      for (const entry of page.entries) {
        if (left === 0) break;
        passed++;
        if (isSameOutcome(entry, page.entries[passed])) yield streamed(entry);
        else {
          token = page.cursorAt(passed - 1);
          left--;
          yield { ...streamed(entry), token };
        }
      }
      const isCut = passed < page.entries.length;
      if (!isCut) token = page.cursor;
      untilMs = 0;
      if (left > 0 && page.more) continue;
      yield {
        kind: 'bookmark',
        token,
        more: isCut || page.more,
        state,
        over: !isCut && page.isAll && isOver({ state }) && page.absent === 0,
        ...(page.absent > 0 ? { absent: page.absent } : {}),
      };
      return;
    }
  } catch (error) {
    // Aborted: nobody reads any more.
    if (!signal.aborted) throw error;
  } finally {
    reader.detach();
  }
}

function isSameOutcome(one: ResultEntry, other: ResultEntry | undefined): boolean {
  return (
    other !== undefined &&
    one.group === other.group &&
    one.place.major === other.place.major &&
    one.place.minor === other.place.minor
  );
}

/** Throws before anything was answered where a token cannot be continued. */
export async function checkToken(home: CrawlHome, token: string): Promise<void> {
  const probe = { kinds: [], filter: {}, limit: 1, absent: 'hold' } as const;
  const cursor = cursorOf(token);
  if (cursor !== undefined) await home.results.after(home.id, cursor, probe);
}
