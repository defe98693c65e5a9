import { useEffect } from 'react';
import type { CrawlStatus } from './crawl-status.ts';
import { useConnected, useLive } from './connected.tsx';

/** How far a crawl has come, live. Undefined: not told yet, or not followed. */
export function useStatus(crawl: string, isFollowed = true): CrawlStatus | undefined {
  const { rates } = useConnected();
  const { documents, isWhole } = useLive(
    isFollowed ? { topic: 'status', crawl, minIntervalMs: 1_000 } : undefined,
  );
  const status = isWhole ? (Object.fromEntries(documents) as CrawlStatus) : undefined;
  useEffect(() => {
    if (isWhole) rates.note(crawl, Object.fromEntries(documents) as CrawlStatus, Date.now());
  }, [rates, crawl, documents, isWhole]);
  return status;
}
