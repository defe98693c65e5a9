import type { Clock, CrawlId } from '@webfarer/protocol';
import type { ResultsCursor, ResultsPage, ResultsQuery, ResultsSource, SettledNews } from './results.ts';

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
    const news = listen(results, crawl);
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
function listen(results: ResultsSource, crawl: CrawlId): { signal: AbortSignal; end(): void } {
  const came = new AbortController();
  const end = results.onSettled((news) => {
    if (news === 'anywhere' || news.crawl === crawl) came.abort();
  });
  return { signal: came.signal, end };
}

/** Those who want to be told that something was settled. */
export interface SettledListeners {
  /** Somebody wants to be told. */
  readonly areThere: boolean;
  add(listener: (news: SettledNews) => void): () => void;
  tell(news: SettledNews): void;
}

export function settledListeners(): SettledListeners {
  const listeners = new Set<(news: SettledNews) => void>();
  return {
    get areThere() {
      return listeners.size > 0;
    },
    add(listener) {
      // Its own, so that one function may be added twice.
      const mine = (news: SettledNews) => listener(news);
      listeners.add(mine);
      return () => void listeners.delete(mine);
    },
    tell(news) {
      for (const listener of listeners) listener(news);
    },
  };
}
