import { useEffect, useState } from 'react';
import type { Client } from '../../api/client.ts';
import { useConnected } from '../../api/connected.tsx';
import { askUntilReady } from './ask-until-ready.ts';

type Ask<Answer> = (
  client: Client,
  how: { crawl: string; id: string; signal: AbortSignal },
) => Promise<Answer>;

/** What a coordinator counts in the results of a crawl; another `round` counts anew. Leaving the screen ends it. */
export function useSurvey<Answer extends { id: string; ready: boolean; atMs: number }>(
  crawl: string,
  ask: Ask<Answer>,
  round: number,
): { survey: Answer | undefined; error: unknown } {
  const { client } = useConnected();
  const [found, setFound] = useState<{ survey?: Answer; error?: unknown }>({});
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    setFound({});
    askUntilReady((id) => ask(client, { crawl, id, signal }), {
      signal,
      tell: (survey) => setFound({ survey }),
    }).catch((error: unknown) => {
      if (!signal.aborted) setFound({ error });
    });
    return () => abort.abort();
  }, [client, crawl, ask, round]);
  return { survey: found.survey, error: found.error };
}
