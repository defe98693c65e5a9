import { expect, test } from 'vitest';
import { convert } from './convert.ts';

const base = 'https://a.example/x/';

test.each([
  ['12', 12],
  ['€ 1,234.50', 1234.5],
  ['1.234,50 €', 1234.5],
  ['1 234,5', 1234.5],
  ['1,234', 1234],
  ['1,23', 1.23],
  ['1.234', 1.234],
  ['1.234.567', 1_234_567],
  ["CHF 1'000.00", 1000],
  ['−5', -5],
  ['from 3 to 4', 3],
  ['1e3', 1000],
  ['0', 0],
])('%s is the number %d', (text, number) => {
  expect(convert(text, 'number', base)).toBe(number);
});

test.each([
  ['number', 'free'],
  ['number', ''],
  ['integer', '1.5'],
  ['boolean', 'maybe'],
  ['date', 'soon'],
  ['url', ' '],
  ['url', 'http://['],
  ['text', ' \n '],
] as const)('%s: %j has no value', (type, text) => {
  expect(convert(text, type, base)).toBeUndefined();
});

test('the other types', () => {
  expect(convert(' a\n b ', 'text', base)).toBe('a b');
  expect(convert('7 left', 'integer', base)).toBe(7);
  expect(['Yes', 'false', '1'].map((text) => convert(text, 'boolean', base))).toEqual([true, false, true]);
  expect(convert('1 May 2026', 'date', base)).toBe('2026-05-01');
  expect(convert(' ../y ', 'url', base)).toBe('https://a.example/y');
});
