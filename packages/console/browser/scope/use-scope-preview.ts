import { useQueryClient } from '@tanstack/react-query';
import { WebfarerError } from '@webfarer/protocol';
import type { ScopePreview } from '@webfarer/protocol/api';
import { useEffect, useRef, useState } from 'react';
import { useConnected } from '../api/connected.tsx';
import { addStep, emptySum, type PreviewSum } from './preview-sum.ts';

/** Until a person has stopped typing for a moment. */
const quietMs = 350;
/** URLs that are looked at before the person is asked whether to look further: it costs the coordinator. */
export const lookAtMost = 500_000;

export interface Previewed {
  sum: PreviewSum;
  /** What it was made of: another draft is not judged by it. */
  key: string;
  /** It has looked at as many as it may without being asked. */
  isHeld: boolean;
  error: unknown;
}

interface Wanted {
  crawl: string;
  version: number;
  changes: Record<string, unknown>;
  /** Nothing is changed, or something is wrong: nothing is asked. */
  isReady: boolean;
}

/**
 * What another scope would do to the URLs of a crawl, summed up step by step. Another change begins anew, and what was
 * under way is given up.
 */
export function useScopePreview(wanted: Wanted) {
  const { client } = useConnected();
  const queries = useQueryClient();
  const key = JSON.stringify(wanted);
  const [previewed, setPreviewed] = useState<Previewed>();
  const [round, setRound] = useState({ key, most: lookAtMost, again: 0 });
  const reached = useRef<{ key: string; sum: PreviewSum; after: string | undefined }>(undefined);
  const { most, again } = round.key === key ? round : { most: lookAtMost, again: 0 };

  // biome-ignore lint/correctness/useExhaustiveDependencies: `again` asks for the same once more
  useEffect(() => {
    const { crawl, version, changes, isReady } = JSON.parse(key) as Wanted;
    if (!isReady) return;
    const abort = new AbortController();
    const { signal } = abort;
    const before = reached.current?.key === key ? reached.current : undefined;
    async function look(): Promise<void> {
      let { sum, after } = before ?? { sum: emptySum, after: '' as string | undefined };
      const tell = (isHeld: boolean, error?: unknown) => setPreviewed({ sum, key, isHeld, error });
      try {
        while (after !== undefined) {
          if (sum.looked.queued + sum.looked.refused >= most) return tell(true);
          const body = { changes, version, after };
          const step: ScopePreview = await client.previewScope({ params: { crawl }, body, signal });
          if (signal.aborted) return;
          sum = addStep(sum, step);
          after = step.next;
          reached.current = { key, sum, after };
          tell(false);
        }
      } catch (error) {
        if (signal.aborted) return;
        tell(false, error);
        // Somebody else has changed the crawl: with its new version the preview begins anew.
        if (error instanceof WebfarerError && error.code === 'conflict')
          await queries.invalidateQueries({ queryKey: ['crawl'] });
      }
    }
    const timer = setTimeout(() => void look(), before ? 0 : quietMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [client, queries, key, most, again]);

  return {
    previewed: previewed?.key === key ? previewed : undefined,
    lookFurther: () => setRound({ key, most: most + lookAtMost, again }),
    lookAgain() {
      reached.current = undefined;
      setPreviewed(undefined);
      setRound({ key, most: lookAtMost, again: again + 1 });
    },
  };
}
