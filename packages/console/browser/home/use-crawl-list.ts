import { useMemo } from 'react';
import { useLive } from '../api/connected.tsx';
import type { HomeFilter } from '../app/router.tsx';

/** A crawl as the stream lists it: what is wanted of it, not how far it has come. */
export interface ListedCrawl {
  id: string;
  name: string;
  version: number;
  createdAtMs: number;
  tags: string[];
  /** What an operator wants of it, or how it ended. */
  wanted: string;
}

const statesOf = {
  running: ['running'],
  paused: ['paused'],
  over: ['finished', 'limited', 'stopped'],
} as const;

/**
 * All crawls of the catalog, newest first, as they come and go; with a filter, those in certain states. The stream tells of each
 * what the API filters by, so that nothing is asked again while a list of thousands is open.
 */
export function useCrawlList(show: HomeFilter) {
  const { documents, isWhole, problem } = useLive({ topic: 'list', list: 'crawls', minIntervalMs: 1_000 });
  const crawls = useMemo(() => crawlsIn([...documents.values()] as ListedCrawl[], show), [documents, show]);
  const open = useMemo(() => openIn([...documents.values()] as ListedCrawl[]), [documents]);
  return {
    crawls,
    /** Those that run or are paused, whatever the filter. */
    open,
    all: documents.size,
    isWhole,
    problem: problem === undefined ? undefined : new Error(problem),
  };
}

export function openIn(all: readonly ListedCrawl[]): ListedCrawl[] {
  return all.filter(({ wanted }) => wanted === 'running' || wanted === 'paused');
}

export function crawlsIn(all: readonly ListedCrawl[], show: HomeFilter): ListedCrawl[] {
  const states: readonly string[] | undefined = show === 'all' ? undefined : statesOf[show];
  const seen = all.filter(({ wanted }) => states?.includes(wanted) ?? true);
  return seen.toSorted((a, b) => b.createdAtMs - a.createdAtMs);
}
