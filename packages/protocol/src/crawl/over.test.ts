import { expect, it } from 'vitest';
import { type EndCounts, endedBy, ruledAway } from './over.ts';

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
