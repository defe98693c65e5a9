import { useLocation } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import type { Client } from '../api/client.ts';
import { useConnected } from '../api/connected.tsx';
import { type ListAnswer, openUrlList, type UrlList } from './url-list.ts';
import type { UrlsSearch } from '../api/url-search.ts';

/** Rows in one answer: a screenful comes fast, and a long list with few requests. */
const pageSize = 500;

export function pageFetcher(client: Client, crawl: string, search: UrlsSearch, limit = pageSize) {
  return async (after: string, signal: AbortSignal): Promise<ListAnswer> =>
    await client.listUrls({ params: { crawl }, query: { ...search, after, limit }, signal });
}

/** The rows that a person saw at an entry of the history, and when they were read. */
interface Seen {
  key: string;
  list: UrlList;
  atMs: number;
}

/** The URLs that match; another `round` reads them anew, and Back finds those that one left. */
export function useUrlList(
  crawl: string,
  search: UrlsSearch,
  round: number,
): { list: UrlList; atMs: number } {
  const { client, lists } = useConnected();
  const entry = useLocation({ select: ({ state }) => state.__TSR_key ?? '' });
  const key = JSON.stringify([crawl, search, round]);
  const current = useRef<Seen>(undefined);
  const seen = useMemo(() => {
    const [crawl, wanted] = JSON.parse(key) as [string, UrlsSearch];
    // The entry changes before its search does, and when one leaves: the rows in sight stay what they are.
    const known = [current.current, lists.get(`urls ${entry}`) as Seen | undefined];
    const before = known.find((each) => each?.key === key);
    if (before) return before;
    return {
      key,
      list: openUrlList({ fetchPage: pageFetcher(client, crawl, wanted) }),
      atMs: Date.now(),
    };
  }, [client, lists, key, entry]);
  current.current = seen;
  lists.keep(`urls ${entry}`, seen);
  const { list, atMs } = seen;
  useEffect(() => {
    list.show(0, 40);
    return () => list.close();
  }, [list]);
  useSyncExternalStore(list.subscribe, list.state);
  return { list, atMs };
}
