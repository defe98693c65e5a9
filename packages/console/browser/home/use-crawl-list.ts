import { useMemo, useRef, useSyncExternalStore } from 'react';
import { useConnected } from '../api/connected.tsx';
import type { Live } from '../api/live.ts';
import { keptValues, type KeptValues } from '../parts/kept-values.ts';
import { type CrawlList, openCrawlList, statesOf } from './crawl-parts.ts';
import type { HomeFilter } from './home-search.ts';

/** The crawls that fit, as they come and go. Another search shows what the one before found until it has an answer of its own. */
export function useCrawlList(show: HomeFilter, search: string) {
  const { live } = useConnected();
  const wanted = search.trim();
  const list = useMemo(() => listOf(live, { show, wanted }), [live, show, wanted]);
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

/** Lists by what was looked for: coming back to one shows at once what it had, and follows it again. */
const known = new WeakMap<Live, KeptValues<CrawlList>>();

function listOf(live: Live, { show, wanted }: { show: HomeFilter; wanted: string }): CrawlList {
  const lists = known.get(live) ?? keptValues<CrawlList>(4);
  known.set(live, lists);
  const key = `${show} ${wanted}`;
  const list =
    lists.get(key) ??
    openCrawlList({
      feed: (topic) => live.feed(topic),
      search: { states: statesOf[show], search: wanted },
    });
  lists.keep(key, list);
  return list;
}
