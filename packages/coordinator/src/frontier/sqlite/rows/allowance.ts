import type { CrawlRow } from './crawls.ts';
import type { Hold } from './holds.ts';
import type { HostRow, PairRow } from './host-state.ts';
import { isSpent } from './sites.ts';

/** The earliest time a request of this crawl may start on its host: past both clocks and the crawl's own gap. */
export function clockOf(host: HostRow, crawl: CrawlRow, hold: Hold | undefined): number {
  const { notBefore, lastEnd } = host;
  const gapOver = lastEnd === 0 ? 0 : lastEnd + crawl.settings.gapMs;
  return Math.max(notBefore, gapOver, hold?.heldUntil ?? 0);
}

/** Why the whole queue of this host settles without being fetched; undefined while it may be fetched. */
export function mustSettle(pair: PairRow): 'host-dead' | 'host-budget' | 'site-budget' | undefined {
  if (pair.dead !== null) return 'host-dead';
  return spentBudget(pair);
}

export function spentBudget(pair: PairRow): 'host-budget' | 'site-budget' | undefined {
  const { hostPages, hostBytes } = pair.crawl.settings.limits;
  if (reached(pair.donePages, hostPages) || reached(pair.bytes, hostBytes)) return 'host-budget';
  return isSpent(pair.site) ? 'site-budget' : undefined;
}

/** How many more pages may be leased from this host now, by all ceilings together. */
export function pagesLeft(pair: PairRow): number {
  const { pages, hostPages, sitePages } = pair.crawl.settings.limits;
  const { counters } = pair.crawl;
  return Math.min(
    left(pages, counters.donePages + counters.leasedPages),
    left(hostPages, pair.donePages + pair.leasedPages),
    left(sitePages, pair.site.donePages + pair.site.leasedPages),
  );
}

function reached(sum: number, limit: number | undefined): boolean {
  return limit !== undefined && sum >= limit;
}

function left(limit: number | undefined, used: number): number {
  return limit === undefined ? Number.POSITIVE_INFINITY : Math.max(0, limit - used);
}
