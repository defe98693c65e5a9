import { useLocation } from '@tanstack/react-router';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { Client } from '../api/client.ts';
import { useConnected } from '../api/connected.tsx';
import { keptValues } from '../parts/kept-values.ts';
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
  client: Client;
  key: string;
  list: UrlList;
  atMs: number;
}
const seen = keptValues<Seen>(4);

/** The URLs that match; another `round` reads them anew, and Back finds those that one left. */
export function useUrlList(
  crawl: string,
  search: UrlsSearch,
  round: number,
): { list: UrlList; atMs: number } {
  const { client } = useConnected();
  const entry = useLocation({ select: ({ state }) => state.__TSR_key ?? '' });
  const key = JSON.stringify([crawl, search, round]);
  const { list, atMs } = useMemo(() => {
    const [crawl, wanted] = JSON.parse(key) as [string, UrlsSearch];
    const before = seen.get(entry);
    if (before?.client === client && before.key === key) return before;
    const list = openUrlList({ fetchPage: pageFetcher(client, crawl, wanted) });
    const opened = { client, key, list, atMs: Date.now() };
    seen.keep(entry, opened);
    return opened;
  }, [client, key, entry]);
  useEffect(() => {
    list.show(0, 40);
    return () => list.close();
  }, [list]);
  useSyncExternalStore(list.subscribe, list.state);
  return { list, atMs };
}
