import { expect, it } from 'vitest';
import { type EndCounts, endedBy, refusedByBudget, ruledAway } from './over.ts';

const counts = (byReason: EndCounts['byReason'], state = 'finished'): EndCounts => ({
  state,
  balance: { known: 30, queued: 0, leased: 0, done: 10, failed: 0, refused: 20 },
  byReason: byReason ?? {},
});

it('tells of a finished crawl that rules took its hosts away, and not of single URLs', () => {
  expect(endedBy(counts({ blocked: 12, 'opt-out': 8 }))).toBe('blocks and opt-outs refused 20 of 30 URLs');
  expect(ruledAway(counts({ 'opt-out': 3 }))).toBe(3);
  expect(ruledAway(counts({ blocked: 2 }))).toBeUndefined();
  expect(ruledAway(counts({ robots: 20 }))).toBeUndefined();
  expect(ruledAway(counts({ blocked: 20 }, 'running'))).toBeUndefined();
  expect(ruledAway({ state: 'finished' })).toBeUndefined();
});

it('names the limit of hosts or sites that refused URLs, how many, and what to do about it', () => {
  const over = { byReason: { 'host-budget': 70, 'site-budget': 3 }, dropped: { 'host-budget': 5 } } as const;
  expect(refusedByBudget(over)).toEqual({ by: 'perHost', urls: 70, links: 5 });
  expect(endedBy({ state: 'limited', ...over })).toBe(
    'limits.perHost refused 70 URLs and 5 links; raise it, then retry those with the reason host-budget',
  );
  expect(refusedByBudget({ dropped: { 'site-budget': 1 } })).toEqual({ by: 'perSite', urls: 0, links: 1 });
  expect(refusedByBudget({ byReason: { robots: 9 }, dropped: { depth: 9 } })).toBeUndefined();
  expect(endedBy({ state: 'finished', ...over })).toBeUndefined();
});
