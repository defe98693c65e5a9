import { expect, test } from 'vitest';
import { asData, pagePart } from './page-part.ts';

const version = 1_700_000_000_000;

/** All parts of a text, one after the other. */
function partsOf(text: string, most: number): string[] {
  const parts: string[] = [];
  let cursor: string | undefined;
  do {
    const part = pagePart(text, { version, cursor, most });
    parts.push(part.text);
    ({ cursor } = part);
  } while (cursor !== undefined);
  return parts;
}

test('the parts are the text, each within the size', () => {
  const text = Array.from({ length: 200 }, (_, n) => `line ${n} ${'x'.repeat(n % 37)}`).join('\n');
  for (const most of [100, 101, 999, 100_000]) {
    const parts = partsOf(text, most);
    expect(parts.join('')).toBe(text);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(most);
    expect(parts.slice(0, -1).every((part) => part.endsWith('\n'))).toBe(true);
  }
  expect(partsOf('', 100)).toEqual(['']);
});

test('never cuts a character', () => {
  const text = '😀'.repeat(300);
  for (const most of [101, 150]) {
    const parts = partsOf(text, most);
    expect(parts.join('')).toBe(text);
    for (const part of parts) expect(part.isWellFormed()).toBe(true);
    expect(parts[0]?.length).toBe(most - (most % 2));
  }
});

test('a cursor of another copy, or none at all, is refused', () => {
  const text = 'x'.repeat(500);
  const { cursor } = pagePart(text, { version, cursor: undefined, most: 100 });
  expect(() => pagePart(text, { version: version + 1, cursor, most: 100 })).toThrow('fetched again');
  expect(() => pagePart(text, { version, cursor: '../7', most: 100 })).toThrow('malformed');
});

test('a page cannot pretend to end', () => {
  const one = asData('The text', 'text');
  const two = asData('The text', one);
  const mark = (text: string) => /begin (\S+)/.exec(text)?.[1] ?? '';
  expect(mark(one)).not.toBe(mark(two));
  expect(two.endsWith(`--- end ${mark(two)}`)).toBe(true);
  expect(two.match(new RegExp(`--- end ${mark(two)}`, 'g'))).toHaveLength(1);
});
