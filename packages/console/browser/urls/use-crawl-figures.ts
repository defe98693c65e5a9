import { useStatus } from '../api/status.ts';
import type { Figures } from '../api/url-search.ts';
import { isOpen, numberOf, shownBalance } from '@webfarer/protocol/numbers';
import type { LifeState } from '../parts/state-badge.tsx';
import { useCrawlDetail } from '../parts/use-crawl-detail.ts';

/** What a crawl has counted, as its own screen shows it: the figures of all screens add up. */
export function useCrawlFigures(crawl: string): {
  state: LifeState | undefined;
  figures: Figures | undefined;
} {
  const status = useStatus(crawl);
  const detail = useCrawlDetail(crawl, { state: status?.state });
  const state = detail?.state === 'failed' ? 'failed' : (status?.state ?? detail?.state);
  const counted = status?.balance ?? detail?.progress?.balance;
  if (!counted) return { state, figures: undefined };
  return {
    state,
    figures: {
      balance: shownBalance(counted, isOpen(state)),
      byReason: status?.byReason ?? {},
      errorAnswers: numberOf('errorAnswers', status ?? {}) ?? 0,
    },
  };
}
