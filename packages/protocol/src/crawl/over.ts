import type { CrawlState } from './record.ts';
import type { CrawlSnapshot } from './snapshot.ts';

/** A stopped crawl resumes when its coordinator is back. */
export function isOver({ state }: { state: CrawlState }): boolean {
  return state === 'finished' || state === 'limited';
}

/** There is at least one crawl, and every one is over. */
export function allOver(crawls: readonly { state: CrawlState }[]): boolean {
  return crawls.length > 0 && crawls.every(isOver);
}

/** From this share of its URLs on, a crawl whose hosts were ruled away is not simply finished. */
const muchRuledAway = 0.1;

export type EndCounts = Partial<Pick<CrawlSnapshot, 'balance' | 'byReason' | 'dropped'>> & {
  state?: string | undefined;
};

/** The reasons under which limits of hosts and sites refuse URLs, and links that are not queued. */
const budgetReasons = { perHost: 'host-budget', perSite: 'site-budget' } as const;

interface RefusedByBudget {
  by: keyof typeof budgetReasons;
  urls: number;
  /** Not queued, each as often as it was found. */
  links: number;
}

/** Which of these limits refused most, and how many; undefined: none refused any. */
export function refusedByBudget({ byReason, dropped }: EndCounts): RefusedByBudget | undefined {
  const [most] = (['perHost', 'perSite'] as const)
    .map((by) => {
      const reason = budgetReasons[by];
      return { by, urls: byReason?.[reason] ?? 0, links: dropped?.[reason] ?? 0 };
    })
    .toSorted((a, b) => b.urls + b.links - a.urls - a.links);
  return most && most.urls + most.links > 0 ? most : undefined;
}

/** URLs that blocks and opt-outs refused in a crawl that is finished; undefined: too few to matter. */
export function ruledAway({ state, balance, byReason }: EndCounts): number | undefined {
  if (state !== 'finished' || !balance) return undefined;
  const refused = (byReason?.blocked ?? 0) + (byReason?.['opt-out'] ?? 0);
  return refused > 0 && refused >= balance.known * muchRuledAway ? refused : undefined;
}

/** What ended a crawl beside having nothing left to do, in one phrase. */
export function endedBy(counts: EndCounts): string | undefined {
  const over = counts.state === 'limited' ? refusedByBudget(counts) : undefined;
  if (over) {
    const { by, urls, links } = over;
    return `limits.${by} refused ${urls} URLs and ${links} links; raise it, then retry those with the reason ${budgetReasons[by]}`;
  }
  const refused = ruledAway(counts);
  return refused === undefined
    ? undefined
    : `blocks and opt-outs refused ${refused} of ${counts.balance?.known ?? 0} URLs`;
}
