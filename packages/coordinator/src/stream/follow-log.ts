import { type Clock, isStorageTrouble, WebfarerError } from '@webfarer/protocol';
import { isOver } from '@webfarer/protocol/crawl';
import type { RecordFilter, ResultKind, ResultsCursor } from '../results/results.ts';
import type { CrawlHome } from './crawl-home.ts';
import { type LogReader, type LogReaderOptions, openLogReader } from './log-reader.ts';
import type { LogTails } from './log-tail.ts';
import type { Source, SourceOptions } from './source.ts';

export interface FollowLogOptions extends SourceOptions {
  home: CrawlHome;
  kinds: readonly ResultKind[];
  filter: RecordFilter;
  from: 'start' | 'now';
  /** In one frame, as far as they are read for this reader alone. */
  maxOutcomes: number;
  tails: LogTails;
  clock: Clock;
}

/** How often a crawl without news is asked whether it is over. */
const idleMs = 500;
/** A store that does not answer is asked again after this time. */
const troubleMs = 1_000;

/** The results of a crawl without end; begins anew where the store has lost what the token stands for. */
export async function* followLog(options: FollowLogOptions): Source {
  const { home, tails, signal, heartbeatMs, clock } = options;
  let isOverTold = false;
  let saidAtMs = clock.now();
  let reader: LogReader | undefined;
  try {
    const begun = await inPeace(options, () => begin(options));
    ({ reader } = begun);
    yield begun.frame;
    for (let token = begun.frame.token; !signal.aborted; ) {
      const current: LogReader = reader;
      const page = await inPeace(options, () => current.next(Math.min(idleMs, heartbeatMs), signal)).catch(
        ifStale,
      );
      if (page === undefined) {
        reader.detach();
        reader = readerAt(options, undefined);
        isOverTold = false;
        token = beginning;
        yield { type: 'snapshot', why: 'other-generation', set: {}, more: false, token };
        continue;
      }
      token = page.cursor;
      if (page.entries.length > 0) {
        isOverTold = false;
        yield tails.frameOf(page);
        saidAtMs = clock.now();
        continue;
      }
      // Asked before the last look: what was settled before it was over is seen by that look.
      const state = await inPeace(options, () => home.state());
      // A retry takes it up again.
      isOverTold &&= isOver({ state });
      if (isOverTold || !isOver({ state }) || page.absent > 0) {
        const isDue = clock.now() - saidAtMs >= heartbeatMs;
        if (isDue) yield { type: 'bookmark', token, ...(isOverTold ? { over: state } : {}) };
        if (isDue) saidAtMs = clock.now();
        await inPeace(options, () => home.check());
        continue;
      }
      reader.detach();
      const last = await inPeace(options, () => current.next(0, signal)).catch(ifStale);
      if (last === undefined) continue;
      token = last.cursor;
      if (last.entries.length > 0) yield tails.frameOf(last);
      else yield { type: 'bookmark', token, over: state };
      isOverTold = last.entries.length === 0;
      saidAtMs = clock.now();
    }
  } finally {
    reader?.detach();
  }
}

/** The token of a reader that has read nothing yet; it says so itself, because a cursor belongs to a generation. */
export const beginning = 'start';

/** Undefined in place of a cursor that cannot be continued. */
export function cursorOf(token: string | undefined): ResultsCursor | undefined {
  return token === undefined || token === beginning ? undefined : (token as ResultsCursor);
}

function readerAt(options: FollowLogOptions, cursor: LogReaderOptions['cursor']): LogReader {
  const { home, kinds, filter, maxOutcomes: limit, tails, gate, clock } = options;
  const query = { kinds, filter, limit, absent: 'hold' as const };
  return openLogReader({ crawl: home.id, results: home.results, query, cursor, tails, gate, clock });
}

async function begin(options: FollowLogOptions) {
  const { home, after, from, gate, signal } = options;
  const cursor = cursorOf(after);
  if (after !== undefined) {
    const probe = { kinds: [], filter: {}, limit: 1, absent: 'hold' } as const;
    const isGood = await gate
      .read(signal, () => home.results.after(home.id, cursor, probe))
      .then(() => true)
      .catch((error: unknown) => ifStale(error) ?? false);
    if (isGood)
      return { frame: { type: 'resumed', token: after } as const, reader: readerAt(options, cursor) };
  }
  const reader =
    after === undefined && from === 'now' ? await readerAtTip(options) : readerAt(options, undefined);
  const why = after === undefined ? ('first' as const) : ('other-generation' as const);
  const frame = { type: 'snapshot', why, set: {}, more: false, token: reader.at ?? beginning } as const;
  return { frame, reader };
}

async function readerAtTip(options: FollowLogOptions): Promise<LogReader> {
  const reader = readerAt(options, undefined);
  try {
    await reader.goToTip();
    return reader;
  } catch (error) {
    reader.detach();
    throw error;
  }
}

export function ifStale(error: unknown): undefined {
  if (error instanceof WebfarerError && error.code === 'cursor-stale') return undefined;
  throw error;
}

/** While the store cannot be read, the same question is asked again: whoever follows only sees that nothing comes. */
async function inPeace<T>({ clock, signal }: FollowLogOptions, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isStorageTrouble(error) || signal.aborted) throw error;
      await clock.sleep(troubleMs, signal);
    }
  }
}
