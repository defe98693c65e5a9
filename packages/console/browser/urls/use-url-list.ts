import { useEffect, useMemo, useSyncExternalStore } from 'react';
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

/** The URLs that match; another `round` reads them anew. */
export function useUrlList(crawl: string, search: UrlsSearch, round: number): UrlList {
  const { client } = useConnected();
  const key = JSON.stringify([search, round]);
  const list = useMemo(() => {
    const [wanted] = JSON.parse(key) as [UrlsSearch];
    return openUrlList({ fetchPage: pageFetcher(client, crawl, wanted) });
  }, [client, crawl, key]);
  useEffect(() => {
    list.show(0, 40);
    return () => list.close();
  }, [list]);
  useSyncExternalStore(list.subscribe, list.state);
  return list;
}
