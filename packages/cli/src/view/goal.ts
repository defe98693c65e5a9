import type { Balance } from '@webfarer/protocol';
import { timeLeft } from '@webfarer/protocol/numbers';
import { count, longSpan } from '../terminal/format.ts';

/**
 * The page limit where that comes before the end of what is known. Files other than pages are done without counting
 * towards it: once they make its figure meaningless, only what is known is a goal.
 */
function limitAhead({ known, done, failed, refused }: Balance, pageLimit?: number): number | undefined {
  if (pageLimit === undefined || done > pageLimit) return undefined;
  return pageLimit < known - failed - refused ? pageLimit : undefined;
}

/** What the number of done URLs is a part of: `1,262 known`, or `500 (limit), 1,262 known`. */
export function goalWords(balance: Balance, pageLimit?: number): string {
  const limit = limitAhead(balance, pageLimit);
  const known = `${count(balance.known)} known`;
  return limit === undefined ? known : `${count(limit)} (limit), ${known}`;
}

/** How full the bar is, from 0 to 1, measured by the same goal. */
export function shareOf(balance: Balance, pageLimit?: number): number {
  const { known, done, failed, refused } = balance;
  const limit = limitAhead(balance, pageLimit);
  if (limit !== undefined) return done / limit;
  return known === 0 ? 0 : Math.min(1, (done + failed + refused) / known);
}

/** `left about 49 min`, `left 40 min to 2 h`; `at most` where a limit ends a crawl whose size is not known yet. */
export function leftWords(snapshot: Parameters<typeof timeLeft>[0]): string | undefined {
  const left = timeLeft(snapshot);
  if (left.kind === 'unknown') return undefined;
  if (left.kind === 'at-most') return `left at most ${longSpan(left.ms)}`;
  if (left.kind === 'about') return `left about ${longSpan(left.ms)}`;
  const [from, to] = [longSpan(left.fromMs), longSpan(left.toMs)];
  return from === to ? `left about ${from}` : `left ${from} to ${to}`;
}
