import { expect, it } from 'vitest';
import { groupVisits } from './group-visits.ts';

function visits() {
  let now = 1_000;
  const kept = groupVisits({ now: () => now });
  /** Asks about one group, and visits it where that is due. */
  function step(change: string, { crawls = ['1'], left = false } = {}): boolean {
    // Others that never change have their turns in between.
    const others = Array.from({ length: 99 }, (_, n) => ({ group: n + 1, crawls: ['1'], change: '' }));
    const due = kept.due([...others, { group: 0, crawls, change }]);
    for (const group of due.toSorted((a, b) => b - a))
      kept.visited({ group, crawls: group === 0 ? crawls : ['1'] }, group === 0 && left);
    return due.includes(0);
  }
  return {
    step,
    kept,
    pass(ms: number) {
      now += ms;
    },
  };
}

/** A group that has been at rest for as long as counts. */
function calm() {
  const world = visits();
  world.step('a');
  world.pass(1_000);
  world.step('a');
  return world;
}

it('a group is visited until a visit was late enough to have seen all of its last change', () => {
  const { step, pass } = visits();
  expect(step('a')).toBe(true);
  pass(999);
  expect(step('a')).toBe(true);
  pass(1);
  expect(step('a')).toBe(true);
  pass(1);
  expect(step('a')).toBe(false);
  expect(step('b')).toBe(true);
  expect(step('b')).toBe(true);
});

it('a group is visited again for a crawl that was not looked at, and not for one that is gone', () => {
  const { step } = calm();
  expect(step('a', { crawls: ['1', '2'] })).toBe(true);
  expect(step('a', { crawls: ['1', '2'] })).toBe(false);
  expect(step('a', { crawls: ['2'] })).toBe(false);
});

it('a group in which something is left is visited until nothing is', () => {
  const { step, pass } = calm();
  pass(1_000);
  expect(step('b', { left: true })).toBe(true);
  pass(5_000);
  expect(step('b', { left: true })).toBe(true);
  expect(step('b')).toBe(true);
  expect(step('b')).toBe(false);
});

it('each group has its turn within a hundred looks', () => {
  const { step } = calm();
  const turns = Array.from({ length: 200 }, () => step('a')).filter(Boolean);
  expect(turns).toHaveLength(2);
});

it('nothing that was visited counts after it is forgotten', () => {
  const { step, kept } = calm();
  expect(step('a')).toBe(false);
  kept.forget();
  expect(step('a')).toBe(true);
});
