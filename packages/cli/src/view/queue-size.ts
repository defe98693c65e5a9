import type { CrawlSnapshot } from '@webfarer/protocol';

/** Leased URLs that no request was begun for wait like queued ones: so what a view shows adds up to what is known. */
export function queueSize({ balance, inFlight }: Pick<CrawlSnapshot, 'balance' | 'inFlight'>): number {
  return balance.queued + Math.max(0, balance.leased - inFlight);
}
