import type { Judgement } from '../judge/judge.ts';

const sums = [
  'expected',
  'recorded',
  'lost',
  'extra',
  'duplicates',
  'wrong',
  'repeats',
  'disallowed',
  'gapViolations',
] as const;

/** The figures that every proof of a crawl shows, over all its crawls. */
export type Totals = Record<(typeof sums)[number], number> & {
  crawls: number;
  maxInFlightPerHost: number;
  balanced: boolean;
};

export function emptyTotals(): Totals {
  const zeros = Object.fromEntries(sums.map((name) => [name, 0])) as Record<(typeof sums)[number], number>;
  return { crawls: 0, ...zeros, maxInFlightPerHost: 0, balanced: true };
}

export function addTo(totals: Totals, judgement: Judgement): void {
  totals.crawls++;
  for (const name of sums) totals[name] += judgement[name];
  totals.maxInFlightPerHost = Math.max(totals.maxInFlightPerHost, judgement.maxInFlightPerHost);
  totals.balanced &&= judgement.balanced;
}
