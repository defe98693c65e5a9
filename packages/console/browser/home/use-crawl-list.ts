import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Client } from '../api/client.ts';
import { useConnected, useLive } from '../api/connected.tsx';
import type { HomeFilter } from '../app/router.tsx';

/** A crawl as the stream lists it: what is wanted of it, not how far it has come. */
export interface ListedCrawl {
  id: string;
  name: string;
  version: number;
  createdAtMs: number;
  tags: string[];
}

const statesOf = {
  running: ['running'],
  paused: ['paused'],
  over: ['finished', 'limited', 'stopped'],
} as const;
const pageSize = 1_000;

/** All crawls of the catalog, newest first, as they come and go; with a filter, those in certain states. */
export function useCrawlList(show: HomeFilter) {
  const { client } = useConnected();
  const { documents, isWhole, problem } = useLive({ topic: 'list', list: 'crawls', minIntervalMs: 1_000 });
  const chosen = useQuery({
    queryKey: ['crawls', show],
    enabled: show !== 'all',
    refetchInterval: 5_000,
    queryFn: () => idsInState(client, show as Exclude<HomeFilter, 'all'>),
  });
  const crawls = useMemo(() => {
    const all = [...documents.values()] as ListedCrawl[];
    const seen = show === 'all' ? all : all.filter(({ id }) => chosen.data?.has(id));
    return seen.toSorted((a, b) => b.createdAtMs - a.createdAtMs);
  }, [documents, show, chosen.data]);
  return {
    crawls,
    all: documents.size,
    isWhole: isWhole && (show === 'all' || chosen.data !== undefined),
    problem: chosen.error ?? (problem === undefined ? undefined : new Error(problem)),
  };
}

async function idsInState(client: Client, show: Exclude<HomeFilter, 'all'>): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (let after: string | undefined = ''; after !== undefined; ) {
    const query = { state: [...statesOf[show]], limit: pageSize, after };
    const page: Awaited<ReturnType<Client['listCrawls']>> = await client.listCrawls({ query });
    for (const { id } of page.items) ids.add(id);
    after = page.next;
  }
  return ids;
}
