import type { Clock, CrawlId } from '@webfarer/protocol';
import type { ResultsCursor, ResultsPage, ResultsQuery, ResultsSource } from './results.ts';

export interface FollowResultsOptions extends ResultsQuery {
  crawl: CrawlId;
  cursor: ResultsCursor | undefined;
  clock: Clock;
  signal: AbortSignal;
  /** How often to look for what other processes have settled; what this one has settled is noticed at once. */
  everyMs: number;
}

/** Pages of results as they come, without end: those that have something. Ends when the signal is given. */
export async function* followResults(
  results: ResultsSource,
  options: FollowResultsOptions,
): AsyncGenerator<ResultsPage> {
  const { crawl, clock, signal, everyMs } = options;
  for (let { cursor } = options; !signal.aborted; ) {
    const news = listen(results);
    try {
      const page = await results.after(crawl, cursor, options);
      ({ cursor } = page);
      if (page.entries.length > 0) yield page;
      if (page.more) continue;
      const stop = AbortSignal.any([signal, news.signal]);
      await clock.sleep(everyMs, stop).catch(() => undefined);
    } finally {
      news.end();
    }
  }
}

/** From before a page is read: what is settled while it is read must not wait for the next look. */
function listen(results: ResultsSource): { signal: AbortSignal; end(): void } {
  const came = new AbortController();
  const end = results.onSettled(() => came.abort());
  return { signal: came.signal, end };
}

/** Those who want to be told that something was settled. */
export interface SettledListeners {
  add(listener: () => void): () => void;
  tell(): void;
}

export function settledListeners(): SettledListeners {
  const listeners = new Set<() => void>();
  return {
    add(listener) {
      // Its own, so that one function may be added twice.
      const mine = () => listener();
      listeners.add(mine);
      return () => void listeners.delete(mine);
    },
    tell() {
      for (const listener of listeners) listener();
    },
  };
}
