import { expect, it } from 'vitest';
import { lineBreakAt } from './line-break.ts';

/** The text after Enter at its end. */
function entered(text: string): string {
  const { from, insert } = lineBreakAt(text, text.length);
  return text.slice(0, from) + insert;
}

it('continues a block, a list and the fields of an entry', () => {
  expect(entered('name: a')).toBe('name: a\n');
  expect(entered('limits:')).toBe('limits:\n  ');
  expect(entered('limits:\n  pages: 3')).toBe('limits:\n  pages: 3\n  ');
  expect(entered('seeds:\n  - https://a.example/')).toBe('seeds:\n  - https://a.example/\n  - ');
  expect(entered('hosts:\n  - match: a')).toBe('hosts:\n  - match: a\n    ');
  expect(entered('save:\n  - warc:')).toBe('save:\n  - warc:\n      ');
});

it('ends a list where an entry stays empty', () => {
  expect(entered('seeds:\n  - a\n  - ')).toBe('seeds:\n  - a\n');
});
