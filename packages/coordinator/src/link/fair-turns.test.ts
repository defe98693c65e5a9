import { expect, it } from 'vitest';
import { createFairTurns, type FairTurns } from './fair-turns.ts';

const alike = () => createFairTurns<string>(() => 1);

/** `a`, or `red/a` for the crawl of a team. */
const crawlOf = (key: string) => ({ key, team: key.includes('/') ? (key.split('/')[0] ?? '') : '' });

/** Grants one lease at a time to whoever comes first and has work; answers how many each was granted. */
function grant(turns: FairTurns<string>, has: Record<string, boolean>, times: number) {
  const counts: Record<string, number> = Object.fromEntries(Object.keys(has).map((name) => [name, 0]));
  for (let i = 0; i < times; i++) {
    for (const next of turns.order(Object.keys(has).map(crawlOf))) {
      turns.granted(next, has[next.key] ? 1 : 0, !has[next.key]);
      if (!has[next.key]) continue;
      counts[next.key] = (counts[next.key] ?? 0) + 1;
      break;
    }
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
  grant(turns, { a: true, b: true }, 2);
  turns.granted(crawlOf('a'), 10, false);
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

it('owes a team what others were granted beyond their turn', () => {
  const turns = createFairTurns<string>((team) => (team === 'red' ? 3 : 1));
  const all = ['red/1', 'blue/1', 'blue/2', 'blue/3'].map(crawlOf);
  const counts: Record<string, number> = {};
  for (let request = 0; request < 100; request++)
    // As a large request is divided: the first gets most of it, and each of the others at least one.
    for (const [i, crawl] of turns.order(all).entries()) {
      const leases = i === 0 ? 3 : 1;
      counts[crawl.team] = (counts[crawl.team] ?? 0) + leases;
      turns.granted(crawl, leases, false);
    }
  // 3 + 3 leases, or 1 + 5: no order makes it three to one, so red is always the first, and remains owed.
  expect(counts).toEqual({ red: 300, blue: 300 });
  const after = grant(turns, { 'red/1': true, 'blue/1': true, 'blue/2': true, 'blue/3': true }, 400);
  expect(ofTeam(after, 'red')).toBe(400);
});

it('does not let a crawl save up turns while it rests', () => {
  const turns = alike();
  grant(turns, { a: true, b: true }, 20);
  turns.drop(crawlOf('b'));
  for (let i = 0; i < 100; i++) turns.granted(crawlOf('a'), 1, false);
  const after = grant(turns, { a: true, b: true }, 20);
  expect(Math.abs((after['a'] ?? 0) - (after['b'] ?? 0))).toBeLessThanOrEqual(2);
});

it('tells each crawl its part of a request for many hosts', () => {
  const turns = createFairTurns<string>((team) => (team === 'red' ? 4 : 1));
  expect(turns.shares(['red/1', 'red/2', 'blue/1'].map(crawlOf))).toEqual([2, 2, 1]);
  expect(turns.shares(['a', 'b', 'c'].map(crawlOf))).toEqual([1, 1, 1]);
  expect(turns.shares([])).toEqual([]);
});
