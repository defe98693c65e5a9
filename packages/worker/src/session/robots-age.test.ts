import { describe, expect, it } from 'vitest';
import { isYoung } from './robots-age.ts';

describe('a copy of robots.txt', () => {
  const nowMs = 1_000_000_000_000;
  const hourMs = 3_600_000;

  it.each([
    ['just fetched', 0, true],
    ['an hour ago', -hourMs, true],
    ['a day ago', -24 * hourMs, false],
    ['by a machine whose clock is a few seconds ahead', 5_000, true],
    ['an hour from now, because a clock was wrong', hourMs, false],
    ['a year from now', 365 * 24 * hourMs, false],
  ])('dated %s', (_, ageMs, young) => {
    expect(isYoung({ fetchedAtMs: nowMs + ageMs }, nowMs, 24 * hourMs)).toBe(young);
  });
});
