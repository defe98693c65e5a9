import { expect, it } from 'vitest';
import type { Outlook } from './group-runner.ts';
import { type CrawlGroups, groupsReader, noGroups } from './crawl-groups.ts';
import { createHints } from './hints.ts';

const never = Number.POSITIVE_INFINITY;
const now = () => 100;
const everywhere = () => true;
const read = groupsReader(3);
const everyGroup = read('all');

const hintsOf = (groupsOf: () => CrawlGroups, sooner: (crawl: string) => void = () => undefined) =>
  createHints(groupsOf, sooner);

/** What a group says of some crawls: when the first host of each is due. */
function outlook(group: number, dues: Record<string, number>): Outlook {
  const crawls = Object.entries(dues).map(([crawl, due]) => {
    return { crawl, due, used: '', reopened: false, dueNow: due <= now() ? 3 : 0 };
  });
  return { group, now: now(), nextEnd: never, heldUntil: 0, crawls };
}

/** Three groups that have told all about two crawls. */
function told() {
  const hints = hintsOf(() => everyGroup);
  hints.learn(outlook(0, { a: 50, b: never }));
  hints.learn(outlook(1, { a: 500, b: never }));
  hints.learn(outlook(2, { a: never, b: 20 }));
  return hints;
}

const asking = (...crawls: string[]) => crawls.map((c) => ({ c, open: true }));

it('asks groups in which something is due, and those it knows nothing of', () => {
  const hints = hintsOf(() => everyGroup);
  expect(hints.due(asking('a'), now)).toEqual([0, 1, 2]);
  hints.learn(outlook(0, { a: 50 }));
  hints.learn(outlook(1, { a: never }));
  expect(hints.due(asking('a'), now)).toEqual([2, 0]);
  hints.learn(outlook(2, { a: 40 }));
  expect(hints.due(asking('a'), now)).toEqual([2, 0]);
  expect(hints.dueHosts(2, asking('a'))).toBe(3);
  expect(hints.firstDueMs('a', now, (group) => group === 1)).toBe(never);
});

it('asks again for the crawl that it is to forget, and for no other', () => {
  const hints = told();
  hints.forget('a');
  expect(hints.due(asking('b'), now)).toEqual([2]);
  expect(hints.isUnsure('b')).toBe(false);
  expect(hints.isUnsure('a')).toBe(true);
  expect(hints.due(asking('a'), now)).toEqual([0, 1, 2]);
});

it('asks a group again for all crawls once an answer of it was lost', () => {
  const hints = told();
  hints.doubt(1);
  hints.learn(outlook(1, { a: never }));
  expect(hints.due(asking('a'), now)).toEqual([0]);
  expect(hints.due(asking('b'), now)).toEqual([1, 2]);
});

it('asks groups in which a lease has ended, and waits for those that grant nothing yet', () => {
  const hints = told();
  hints.learn({ ...outlook(1, {}), nextEnd: 90 });
  expect(hints.due([], now)).toEqual([1]);
  hints.learn({ ...outlook(0, { a: 50 }), heldUntil: 130 });
  expect(hints.due(asking('a'), now)).toEqual([1]);
  expect(hints.firstDueMs('a', now, everywhere)).toBe(30);
});

it('knows in which groups a crawl may have something', () => {
  const hints = told();
  expect([0, 1, 2].map((group) => hints.mayHave('a', group))).toEqual([true, true, false]);
  expect(hints.mayHave('unheard of', 1)).toBe(true);
  expect(hints.order('a')).toEqual([0, 1]);
  expect(hints.hear('a', 1, never)).toBe(true);
  expect(hints.hear('a', 1, never)).toBe(false);
  expect(hints.order('a')).toEqual([0]);
  hints.keep(new Set(['b']));
  expect(hints.mayHave('a', 2)).toBe(true);
  expect(hints.mayHave('b', 1)).toBe(false);
});

it('asks only groups that a crawl has come into, each from then on', () => {
  let groups = noGroups;
  const hints = hintsOf(() => groups);
  expect(hints.due(asking('a'), now)).toEqual([]);
  expect(hints.isUnsure('a')).toBe(false);
  groups = read('2');
  expect(hints.due(asking('a'), now)).toEqual([1]);
  expect(hints.order('a')).toEqual([1]);
  hints.learn(outlook(1, { a: 500 }));
  expect(hints.due(asking('a'), now)).toEqual([]);
  groups = read('6');
  expect(hints.due([], now)).toEqual([]);
  expect(hints.mayHave('a', 2)).toBe(true);
  expect(hints.due(asking('a'), now)).toEqual([2]);
  hints.doubt(2);
  hints.learn(outlook(2, { a: never }));
  expect(hints.isUnsure('a')).toBe(false);
});

it('tells when a crawl may have something sooner than was known, and not when it has it later', () => {
  const told: string[] = [];
  const hints = hintsOf(
    () => everyGroup,
    (crawl) => void told.push(crawl),
  );
  const toldBy = (work: () => unknown) => {
    told.length = 0;
    work();
    return [...told];
  };
  hints.learn(outlook(0, { a: 500 }));
  expect(toldBy(() => hints.hear('a', 0, 600))).toEqual([]);
  expect(toldBy(() => hints.hear('a', 0, 600))).toEqual([]);
  expect(toldBy(() => hints.hear('a', 0, 599))).toEqual(['a']);
  expect(toldBy(() => hints.hear('a', 0, never))).toEqual([]);
  expect(toldBy(() => hints.hear('a', 0, 900))).toEqual(['a']);
  expect(toldBy(() => hints.forget('a'))).toEqual(['a']);
  hints.learn(outlook(0, { a: 500, b: never }));
  hints.doubt(0);
  expect(toldBy(() => hints.learn(outlook(0, { b: never })))).toEqual(['a', 'b']);
});
