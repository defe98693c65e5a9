import { describe, expect, it } from 'vitest';
import { meaningOf, retryAfterMs } from './verdict.ts';

describe('meaningOf', () => {
  it.each([
    [200, false, 'content'],
    [301, true, 'redirect'],
    [301, false, 'final'],
    [304, false, 'final'],
    [404, false, 'final'],
    [429, false, 'again'],
    [503, false, 'again'],
    [999, false, 'final'],
  ])('%i with location %s means %s', (status, location, kind) => {
    expect(meaningOf(status, location).kind).toBe(kind);
  });
});

describe('retryAfterMs', () => {
  const now = Date.parse('2026-11-14T12:00:00Z');
  const day = 86_400_000;
  it.each([
    ['120', 120_000],
    [' 5 ', 5_000],
    ['Sat, 14 Nov 2026 12:01:00 GMT', 60_000],
    ['Sat, 14 Nov 2026 11:00:00 GMT', 0],
    ['99999999999', day],
    ['Fri, 31 Dec 9999 23:59:59 GMT', day],
    ['soon', undefined],
    ['-5', undefined],
    [undefined, undefined],
  ])('%s', (value, expected) => {
    expect(retryAfterMs(value, now, day)).toBe(expected);
  });
});
