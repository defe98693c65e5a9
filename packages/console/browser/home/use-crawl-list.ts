import { useMemo, useRef, useSyncExternalStore } from 'react';
import { useConnected } from '../api/connected.tsx';
import { type CrawlList, openCrawlList, statesOf } from './crawl-parts.ts';
import type { HomeFilter } from './home-search.ts';

/** The crawls that fit, as they come and go. Another search shows what the one before found until it has an answer of its own. */
export function useCrawlList(show: HomeFilter, search: string) {
  const { live, lists } = useConnected();
  const wanted = search.trim();
  const list = useMemo(() => {
    // Coming back shows at once what it had, and follows it again.
    const key = `crawls ${show} ${wanted}`;
    const before = lists.get(key) as CrawlList | undefined;
    const list =
      before ??
      openCrawlList({
        feed: (topic) => live.feed(topic),
        search: { states: statesOf[show], search: wanted },
      });
    lists.keep(key, list);
    return list;
  }, [live, lists, show, wanted]);
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
