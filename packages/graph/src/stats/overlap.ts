import { Sketch } from './sketch.ts';
import type { StatTable } from './stat-tables.ts';
import type { Statistics } from './statistics.ts';

const compared = ['urls', 'contents', 'hosts', 'sites', 'tlds'] as const;

/** How much two crawls have in common: what is in both, and the share of that in all (Jaccard). */
export function overlapTable(a: Statistics, b: Statistics): StatTable {
  const found = compared.map((what) => {
    const [first, second] = [a.distinct[what], b.distinct[what]];
    const { both, either, exact } = Sketch.overlap(first, second);
    const share = either === 0 ? 0 : Number((both / either).toFixed(4));
    return { exact, cells: [what, first.distinct, second.distinct, both, either, share] };
  });
  return {
    id: 'overlap',
    title: 'Overlap with the other crawl',
    head: ['what', 'here', 'there', 'both', 'either', 'similarity'],
    rows: found.map(({ cells }) => cells),
    ...(found.some(({ exact }) => !exact) && {
      note: 'estimated from equal samples of both crawls: similarity within 0.004 in 19 of 20 comparisons',
    }),
  };
}
