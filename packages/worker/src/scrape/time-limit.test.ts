import { expect, it } from 'vitest';
import { timeLimit } from './time-limit.ts';

it('ends a regular expression that backtracks without end, and nothing that comes after it', () => {
  const within = timeLimit(50);
  // With a reference to what it has matched there is no other way than backtracking.
  const slow = /^((a+)+)\1!/;
  expect(within(() => [slow.test('a'.repeat(60))])).toBeUndefined();
  expect(within(() => [slow.test('aaaa!')])).toEqual([true]);
});

it('hands on what work answers and throws', () => {
  const within = timeLimit(60_000);
  const error = new TypeError('own');
  expect(within(() => [1, 2])).toEqual([1, 2]);
  expect(() =>
    within(() => {
      throw error;
    }),
  ).toThrow(error);
});
