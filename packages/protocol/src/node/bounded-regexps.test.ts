import { expect, it } from 'vitest';
import { boundRegexps, isBoundedRegexp } from './bounded-regexps.ts';

it('runs an expression that would backtrack for hours, and knows those that it cannot bound', () => {
  boundRegexps();
  // Backtracking alone would try 2^60 ways.
  expect(/^(a+)+$/.test(`${'a'.repeat(60)}!`)).toBe(false);
  for (const source of ['^https?://a\\.test/', '(?:a|b)+', '\\d{4}', '(a+)+$'])
    expect(isBoundedRegexp(source), source).toBe(true);
  for (const source of ['(?!a)b', '(a)\\1', '(.*,){20}P', '('])
    expect(isBoundedRegexp(source), source).toBe(false);
});
