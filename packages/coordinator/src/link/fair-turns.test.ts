import { expect, it } from 'vitest';
import { createFairTurns } from './fair-turns.ts';

const keys = (...names: string[]) => names.map((key) => ({ key }));

/** Grants one lease at a time to whoever comes first and has work; answers how many each was granted. */
function grant(
  turns: ReturnType<typeof createFairTurns<string>>,
  has: Record<string, boolean>,
  times: number,
) {
  const counts: Record<string, number> = Object.fromEntries(Object.keys(has).map((name) => [name, 0]));
  for (let i = 0; i < times; i++) {
    const next = turns.order(keys(...Object.keys(has))).find(({ key }) => has[key]);
    if (!next) break;
    counts[next.key] = (counts[next.key] ?? 0) + 1;
    turns.granted(next.key, 1);
  }
  return counts;
}

it('grants all crawls that have work the same number of leases', () => {
  const turns = createFairTurns<string>();
  expect(grant(turns, { a: true, b: true, c: true }, 30)).toEqual({ a: 10, b: 10, c: 10 });
});

it('weighs leases, not turns: a crawl that was granted many waits longer', () => {
  const turns = createFairTurns<string>();
  turns.granted('a', 10);
  expect(grant(turns, { a: true, b: true }, 10)).toEqual({ a: 0, b: 10 });
});

it('does not make up for the time in which a crawl had no work, or was not there', () => {
  const turns = createFairTurns<string>();
  grant(turns, { a: true, b: false }, 100);
  const after = grant(turns, { a: true, b: true, c: true }, 30);
  expect(Math.max(...Object.values(after)) - Math.min(...Object.values(after))).toBeLessThanOrEqual(2);
});
