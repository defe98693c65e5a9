import { expect, it } from 'vitest';
import { boundRegexps } from './bounded-regexps.ts';

it('lets V8 run an expression that would backtrack for hours', () => {
  boundRegexps();
  // Backtracking alone would try 2^60 ways.
  expect(/^(a+)+$/.test(`${'a'.repeat(60)}!`)).toBe(false);
});
