import type { ShownComparison } from '@webfarer/protocol/api';
import { useEffect, useState } from 'react';
import type { Client } from '../api/client.ts';
import { useConnected } from '../api/connected.tsx';
import { askUntilReady } from './ask-until-ready.ts';

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

/** The comparison of two crawls; another `round` compares them anew. */
export function useComparison(
  crawl: string,
  other: string | undefined,
  round: number,
): { comparison: ShownComparison | undefined; error: unknown } {
  const { client } = useConnected();
  const [found, setFound] = useState<{ comparison?: ShownComparison; error?: unknown }>({});
  useEffect(() => {
    setFound({});
    if (other === undefined) return;
    const abort = new AbortController();
    const tell = (comparison: ShownComparison) => setFound({ comparison });
    compareWhole(client, { crawl, other }, { signal: abort.signal, tell }).catch((error: unknown) => {
      if (!abort.signal.aborted) setFound({ error });
    });
    return () => abort.abort();
  }, [client, crawl, other, round]);
  return { comparison: found.comparison, error: found.error };
}
