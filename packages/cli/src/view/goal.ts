import type { Balance, CrawlSnapshot } from '@webfarer/protocol';
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

/** A range whose ends differ by less is shown as one figure. */
const NARROW = 1.3;

/** `left about 49 min`, `left 40 min to 2 h`; `at most` where a limit ends a crawl whose size is not known yet. */
export function leftWords({
  leftMs,
  leftToMs = leftMs,
  leftAtMost,
}: Pick<CrawlSnapshot, 'leftMs' | 'leftToMs' | 'leftAtMost'>): string | undefined {
  if (leftMs === undefined || leftToMs === undefined) return undefined;
  if (leftAtMost) return `left at most ${longSpan(leftMs)}`;
  const [from, to] = [longSpan(leftMs), longSpan(leftToMs)];
  if (from === to || leftToMs <= leftMs * NARROW) return `left about ${longSpan((leftMs + leftToMs) / 2)}`;
  return `left ${from} to ${to}`;
}
