import { expect, it } from 'vitest';
import { createFairTurns, type FairTurns } from './fair-turns.ts';

const alike = () => createFairTurns<string>(() => 1);

/** `a`, or `red/a` for the crawl of a team. */
const crawlOf = (key: string) => ({ key, team: key.includes('/') ? (key.split('/')[0] ?? '') : '' });

/** Grants one lease at a time to whoever comes first and has work; answers how many each was granted. */
function grant(turns: FairTurns<string>, has: Record<string, boolean>, times: number) {
  const counts: Record<string, number> = Object.fromEntries(Object.keys(has).map((name) => [name, 0]));
  for (let i = 0; i < times; i++) {
    const next = turns.order(Object.keys(has).map(crawlOf)).find(({ key }) => has[key]);
    if (!next) break;
    counts[next.key] = (counts[next.key] ?? 0) + 1;
    turns.granted(next, 1);
  }
  return counts;
}

const ofTeam = (counts: Record<string, number>, team: string) =>
  Object.entries(counts).reduce((sum, [key, count]) => sum + (crawlOf(key).team === team ? count : 0), 0);

it('grants all crawls that have work the same number of leases', () => {
  expect(grant(alike(), { a: true, b: true, c: true }, 30)).toEqual({ a: 10, b: 10, c: 10 });
});

it('weighs leases, not turns: a crawl that was granted many waits longer', () => {
  const turns = alike();
  turns.granted(crawlOf('a'), 10);
  expect(grant(turns, { a: true, b: true }, 10)).toEqual({ a: 0, b: 10 });
});

it('does not make up for the time in which a crawl had no work, or was not there', () => {
  const turns = alike();
  grant(turns, { a: true, b: false }, 100);
  const after = grant(turns, { a: true, b: true, c: true }, 30);
  expect(Math.max(...Object.values(after)) - Math.min(...Object.values(after))).toBeLessThanOrEqual(2);
});

it('shares between teams first, however many crawls each has', () => {
  const crawls = { 'red/1': true, 'red/2': true, 'red/3': true, 'blue/1': true };
  expect(grant(alike(), crawls, 60)).toEqual({ 'red/1': 10, 'red/2': 10, 'red/3': 10, 'blue/1': 30 });
});

it('gives a team as much as its weight says', () => {
  const turns = createFairTurns<string>((team) => (team === 'red' ? 3 : 1));
  const counts = grant(turns, { 'red/1': true, 'red/2': true, 'blue/1': true, 'blue/2': true }, 80);
  expect(counts).toEqual({ 'red/1': 30, 'red/2': 30, 'blue/1': 10, 'blue/2': 10 });
});

it('leaves what a team does not need to the others, and starts even when it has work again', () => {
  const turns = createFairTurns<string>((team) => (team === 'red' ? 3 : 1));
  expect(ofTeam(grant(turns, { 'red/1': false, 'blue/1': true }, 40), 'blue')).toBe(40);
  const after = grant(turns, { 'red/1': true, 'blue/1': true }, 40);
  expect(Math.abs(ofTeam(after, 'red') - 30)).toBeLessThanOrEqual(2);
});

it('tells each crawl its part of a request for many hosts', () => {
  const turns = createFairTurns<string>((team) => (team === 'red' ? 4 : 1));
  expect(turns.shares(['red/1', 'red/2', 'blue/1'].map(crawlOf))).toEqual([2, 2, 1]);
  expect(turns.shares(['a', 'b', 'c'].map(crawlOf))).toEqual([1, 1, 1]);
  expect(turns.shares([])).toEqual([]);
});
