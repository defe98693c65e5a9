import { expect, test } from 'vitest';
import {
  bytes,
  count,
  countdown,
  longSpan,
  percent,
  plural,
  rate,
  seconds,
  span,
  stopwatch,
  timeOfDay,
} from './format.ts';

test('counts are grouped in thousands', () => {
  expect([0, 999, 1000, 1_234_567].map(count)).toEqual(['0', '999', '1,000', '1,234,567']);
  expect([plural(1, 'host'), plural(2, 'host'), plural(1204, 'entry', 'entries')]).toEqual([
    '1 host',
    '2 hosts',
    '1,204 entries',
  ]);
});

test('sizes have at most three digits and never show 1000 of a unit', () => {
  expect([0, 512, 999, 1000, 48_000, 999_499, 999_600, 4_100_000, 148e6, 2.5e12].map(bytes)).toEqual([
    '0 B',
    '512 B',
    '999 B',
    '1.0 kB',
    '48 kB',
    '999 kB',
    '1.0 MB',
    '4.1 MB',
    '148 MB',
    '2.5 TB',
  ]);
});

test('times', () => {
  expect([0, 92_000, 3_200_000, 3_730_000, 200_000_000].map(stopwatch)).toEqual([
    '00:00',
    '01:32',
    '53:20',
    '1:02:10',
    '2 d 07:33:20',
  ]);
  expect([0, 240, 999, 1200, 2000, 12_000, 180_000].map(span)).toEqual([
    '0 s',
    '240 ms',
    '999 ms',
    '1.2 s',
    '2 s',
    '12 s',
    '3 min',
  ]);
  expect([40_000, 2_940_000, 7_800_000, 3 * 86_400_000].map(longSpan)).toEqual([
    '40 s',
    '49 min',
    '2 h 10 min',
    '3 days',
  ]);
  expect([seconds(310), seconds(12_340)]).toEqual(['0.31 s', '12.3 s']);
  expect([countdown(1234), countdown(-5), countdown(90_000)]).toEqual(['1.2 s', '0.0 s', '2 min']);
  expect([rate(0.43), rate(14.2), rate(1203)]).toEqual(['0.4', '14.2', '1,203']);
});

test('a time of day far away carries its date', () => {
  const now = new Date(2026, 10, 15, 14, 29, 7).getTime();
  expect(timeOfDay(now + 120_000, now)).toBe('14:31:07');
  expect(timeOfDay(now + 3 * 86_400_000, now)).toBe('2026-11-18 14:29:07');
});

test('a small share is not rounded to nothing', () => {
  expect([0, 0.0033, 0.012, 0.5, 1].map(percent)).toEqual(['0%', '0.33%', '1.2%', '50%', '100%']);
});
