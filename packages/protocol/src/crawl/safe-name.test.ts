import { win32 } from 'node:path';
import { expect, it } from 'vitest';
import { safeName } from './safe-name.ts';

it.each([
  ['example.org', 'example.org'],
  ['a/b\\c:d', 'a-b-c-d'],
  ['../..', 'crawl'],
  ['.hidden.', 'hidden'],
  ['NUL', '_NUL'],
  ['con.txt', '_con.txt'],
  ['com¹', '_com¹'],
  ['console', 'console'],
  ['C:', 'C'],
  ['日本', '日本'],
])('%s becomes %s', (name, safe) => {
  expect(safeName(name)).toBe(safe);
});

it.each([
  '..\\..\\x',
  'C:\\Windows',
  '\\\\server\\share',
  'a:stream',
  'x'.repeat(119) + '.y',
  'AUX',
  '~',
  '???',
])('keeps %s inside its folder on Windows too', (name) => {
  const safe = safeName(name);
  const path = win32.join('D:\\crawls', safe);
  expect(win32.dirname(path)).toBe('D:\\crawls');
  expect(path).toBe(`D:\\crawls\\${safe}`);
  expect(safe).toMatch(/[^. ]$/);
  expect(safe).not.toMatch(/[<>:"|?*]/);
});

it.each(['x', 'é', '網', '😀'])('fits a file system with a long name of %s', (letter) => {
  const safe = safeName(letter.repeat(400));
  expect(Buffer.byteLength(`.deleted-${safe}-12345678.crawl`)).toBeLessThanOrEqual(255);
  expect(Buffer.from(safe).toString()).toBe(safe);
});

it('tells long names apart that begin alike', () => {
  const long = '長い名前'.repeat(40);
  const names = [long, `${long} 2026-11-10`, `${long} 2026-11-11`].map(safeName);
  expect(new Set(names).size).toBe(3);
  expect(safeName(long)).toBe(names[0]);
});

it('is never the name of a device', () => {
  for (const name of ['nul', 'CON', 'com1', 'Lpt9.log', 'aux.']) expect(safeName(name)).toMatch(/^_/);
});
