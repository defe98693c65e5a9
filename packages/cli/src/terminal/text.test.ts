import { expect, test } from 'vitest';
import { clean, displayWidth, painter, paintLine, truncate, truncateMiddle, wrap } from './text.ts';

test('clean leaves words and takes what a terminal would obey', () => {
  expect(clean('Straße 日本 ok')).toBe('Straße 日本 ok');
  expect(clean('a\x1b[31mred\x1b[0m b')).toBe('ared b');
  expect(clean('line\r\nfeed\ttab')).toBe('line feed tab');
  expect(clean('\x9b2J\x07\x00x')).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
  expect(clean('\x1b]8;;http://evil.example\x07click\x1b]8;;\x07')).not.toContain('\x1b');
  expect(clean('abc\u202edef')).toBe('abcdef');
  expect(clean('x'.repeat(1e6)).length).toBeLessThan(5000);
});

test('width counts columns, not characters', () => {
  expect(displayWidth('abc')).toBe(3);
  expect(displayWidth('日本')).toBe(4);
  expect(displayWidth('e\u0301')).toBe(1);
});

test('cutting', () => {
  expect(truncate('abcdef', 4)).toBe('abc…');
  expect(truncate('日本語', 4)).toBe('日…');
  expect(truncateMiddle('https://a.example/very/long/path/end.html', 20)).toHaveLength(20);
  expect(truncateMiddle('https://a.example/very/long/path/end.html', 20)).toMatch(/^https:.*….*\.html$/);
});

test('a painted line is cut before it is coloured', () => {
  const line = paintLine(['ab', { style: 'bad', text: 'cdef' }, 'gh'], 5, painter(true));
  expect(line).toBe('ab\x1b[31mcd…\x1b[39m');
});

test('wrap breaks at spaces and indents what follows', () => {
  expect(wrap('one two three four', 9, '  ')).toEqual(['one two', '  three', '  four']);
});
