import { useMemo, useRef, useSyncExternalStore } from 'react';
import { useConnected } from '../api/connected.tsx';
import { type CrawlList, openCrawlList, statesOf } from './crawl-parts.ts';
import type { HomeFilter } from './home-search.ts';

/** The crawls that fit, as they come and go. Another search shows what the one before found until it has an answer of its own. */
export function useCrawlList(show: HomeFilter, search: string) {
  const { live } = useConnected();
  const wanted = search.trim();
  const list = useMemo(
    () =>
      openCrawlList({
        feed: (topic) => live.feed(topic),
        search: { states: statesOf[show], search: wanted },
      }),
    [live, show, wanted],
  );
  const state = useSyncExternalStore(list.subscribe, list.state);
  const answered = useRef<{ list: CrawlList; state: typeof state }>(undefined);
  if (state.counts) answered.current = { list, state };
  const shown = state.counts ? { list, state } : answered.current;
  return {
    list: shown?.list ?? list,
    at: (shown?.state ?? state).at,
    counts: shown?.state.counts,
    isWhole: state.counts !== undefined,
    problem: state.problem === undefined ? undefined : new Error(state.problem),
  };
}
