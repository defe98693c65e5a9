import type { ShownComparedPage, ShownComparison } from '@webfarer/protocol/api';
import { useCallback, useEffect, useReducer } from 'react';
import type { Client } from '../api/client.ts';
import { useConnected } from '../api/connected.tsx';
import type { ListAnswer } from '../urls/url-list.ts';
import { askKeeper, askUntilReady } from './survey/ask-until-ready.ts';
import type { ChangeKind } from './data-search.ts';

type Comparing = Pick<Client, 'compareCrawls'>;

/** Asks until both crawls are read and compared, and tells how far it has come. */
export async function compareWhole(
  client: Comparing,
  { crawl, other }: { crawl: string; other: string },
  how: { signal: AbortSignal; tell: (so: ShownComparison) => void },
): Promise<void> {
  const ask = (id: string) =>
    client.compareCrawls({ params: { crawl }, query: { with: other, id, limit: 1 }, signal: how.signal });
  await askUntilReady(ask, how);
}

/** The pages behind one figure of a comparison, and of no other one. */
export function pagesOf(
  client: Comparing,
  { crawl, other, id, change }: { crawl: string; other: string; id: string; change: ChangeKind },
) {
  return async (after: string, signal: AbortSignal): Promise<ListAnswer<ShownComparedPage>> => {
    const query = { with: other, id, change, after, limit: 500 };
    const ask = () => client.compareCrawls({ params: { crawl }, query, signal });
    const { items, next } = await askKeeper(ask, signal);
    return { items, next, searched: items.length };
  };
}

/** Of a comparison that is forgotten before anything of its lists was read. */
const mostRenewed = 3;

export interface Compared {
  /** The two crawls. */
  pair: string;
  round: number;
  renewed: number;
  /** Stays until they are compared anew. */
  shown?: ShownComparison;
  /** How far the coordinator is that has come the furthest. */
  progress?: ShownComparison;
  error?: unknown;
}

type ComparedNews = { pair: string } & (
  | { is: 'told'; answer: ShownComparison }
  | { is: 'failed'; error: unknown }
  /** A person wants it anew, or a list of it cannot be read any more. */
  | { is: 'again' }
  | { is: 'lost' }
);

export const notCompared = (pair: string): Compared => ({ pair, round: 0, renewed: 0 });

export function compared(state: Compared, news: ComparedNews): Compared {
  const { progress, error, ...kept } = state.pair === news.pair ? state : notCompared(news.pair);
  switch (news.is) {
    case 'told':
      if (news.answer.ready) return { ...kept, shown: news.answer };
      return {
        ...kept,
        progress: progress && shareRead(progress) > shareRead(news.answer) ? progress : news.answer,
      };
    case 'failed':
      return { ...kept, error: news.error };
    case 'again':
      return { ...kept, round: kept.round + 1, renewed: 0 };
    case 'lost':
      if (progress || error !== undefined || kept.renewed >= mostRenewed) return state;
      return { ...kept, round: kept.round + 1, renewed: kept.renewed + 1 };
  }
}

const shareRead = ({ now, before }: ShownComparison): number =>
  (now.read + before.read) / Math.max(1, now.known + before.known);

/** The comparison of two crawls. */
export function useComparison(crawl: string, other: string | undefined) {
  const { client } = useConnected();
  const pair = `${crawl} ${other}`;
  const [found, tell] = useReducer(compared, pair, notCompared);
  const state = found.pair === pair ? found : notCompared(pair);
  useEffect(() => {
    if (other === undefined) return;
    const abort = new AbortController();
    compareWhole(
      client,
      { crawl, other },
      { signal: abort.signal, tell: (answer) => tell({ pair, is: 'told', answer }) },
    ).catch((error: unknown) => {
      if (!abort.signal.aborted) tell({ pair, is: 'failed', error });
    });
    return () => abort.abort();
  }, [client, crawl, other, pair, state.round]);
  const again = useCallback(() => tell({ pair, is: 'again' }), [pair]);
  const lost = useCallback(() => tell({ pair, is: 'lost' }), [pair]);
  const { shown, progress, error } = state;
  return { shown, progress, error, again, lost };
}
