import type { CrawlStatus } from '../api/crawl-status.ts';
import { useFormats, useText } from '../text/use-text.tsx';
import type { ShownState } from './state-badge.tsx';

/** How long a crawl still takes, as honestly as it is known; once it is over, how long it took. */
export function useLeftWords(status: CrawlStatus | undefined, state: ShownState | undefined): string {
  const { card } = useText();
  const { roughSpan, span } = useFormats();
  if (status === undefined) return '';
  const { leftMs, leftToMs, leftAtMost, elapsedMs } = status;
  if (state !== 'running') return elapsedMs === undefined ? '' : card.elapsed(span(elapsedMs));
  if (leftMs === undefined) return card.leftUnknown;
  if (leftAtMost) return card.leftAtMost(roughSpan(leftMs));
  if (leftToMs === undefined) return card.leftAtLeast(roughSpan(leftMs));
  const [from, to] = [roughSpan(leftMs), roughSpan(leftToMs)];
  return from === to ? card.leftOne(from) : card.left(from, to);
}
