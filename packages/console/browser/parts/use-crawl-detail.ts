import { useQuery } from '@tanstack/react-query';
import type { CrawlDetail } from '@webfarer/protocol/api';
import { useConnected } from '../api/connected.tsx';

/** What the stream does not tell of a crawl: its job, and why it cannot run. Asked again whenever it changed. */
export function useCrawlDetail(
  crawl: string,
  changed: { version?: number | undefined; state: string | undefined },
): CrawlDetail | undefined {
  const { client } = useConnected();
  const { data } = useQuery({
    queryKey: ['crawl', crawl, changed.version, changed.state],
    queryFn: () => client.getCrawl({ params: { crawl } }),
    placeholderData: (before) => before,
    staleTime: 30_000,
  });
  return data;
}
