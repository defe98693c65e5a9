import { timeLeft } from '@webfarer/protocol/numbers';
import type { CrawlStatus } from '../api/crawl-status.ts';
import { useFormats, useText } from '../text/use-text.tsx';
import type { LifeState } from './state-badge.tsx';

/** How long a crawl still takes, as honestly as it is known; once it is over, how long it took. */
export function useLeftWords(status: CrawlStatus | undefined, state: LifeState | undefined): string {
  const { card } = useText();
  const { roughSpan, span } = useFormats();
  if (status === undefined) return '';
  const { elapsedMs } = status;
  if (state !== 'running') return elapsedMs === undefined ? '' : card.elapsed(span(elapsedMs));
  const left = timeLeft({ ...status, state });
  if (left.kind === 'unknown') return card.leftUnknown;
  if (left.kind === 'at-most') return card.leftAtMost(roughSpan(left.ms));
  if (left.kind === 'about') return card.leftOne(roughSpan(left.ms));
  const [from, to] = [roughSpan(left.fromMs), roughSpan(left.toMs)];
  return from === to ? card.leftOne(from) : card.left(from, to);
}
