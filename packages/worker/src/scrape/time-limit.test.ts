import { expect, it } from 'vitest';
import { timeLimit } from './time-limit.ts';

const late = () => new Error('late');

it('ends a regular expression that backtracks without end, and nothing that comes after it', () => {
  const within = timeLimit(50);
  // With a reference to what it has matched there is no other way than backtracking.
  const slow = /^((a+)+)\1!/;
  expect(() => within(() => slow.test('a'.repeat(60)), late)).toThrow('late');
  expect(within(() => slow.test('aaaa!'), late)).toBe(true);
});

it('hands on what work answers and throws', () => {
  const within = timeLimit(60_000);
  const error = new TypeError('own');
  expect(within(() => [1, 2], late)).toEqual([1, 2]);
  expect(() =>
    within(() => {
      throw error;
    }, late),
  ).toThrow(error);
});
