import { WebfarerError } from '@webfarer/protocol';
import type { ShownComparison } from '@webfarer/protocol/api';
import { useEffect, useState } from 'react';
import type { Client } from '../api/client.ts';
import { useConnected } from '../api/connected.tsx';

/** How often it is begun anew. */
const mostLost = 20;

type Comparing = Pick<Client, 'compareCrawls'>;

/** Asks until both crawls are read and compared, and tells how far it has come. */
export async function compareWhole(
  client: Comparing,
  { crawl, other }: { crawl: string; other: string },
  { signal, tell }: { signal: AbortSignal; tell: (so: ShownComparison) => void },
): Promise<void> {
  let id = '';
  // A crawl that runs moves on, and a comparison that was forgotten cannot be begun as it was.
  for (let lost = 0; ; ) {
    try {
      const query = { with: other, id, limit: 1 };
      const answer = await client.compareCrawls({ params: { crawl }, query, signal });
      if (signal.aborted) return;
      tell(answer);
      if (answer.ready) return;
      ({ id } = answer);
    } catch (error) {
      const isLost = error instanceof WebfarerError && error.code === 'cursor-stale';
      if (!isLost || ++lost >= mostLost) throw error;
      id = '';
    }
  }
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
