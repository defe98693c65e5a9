import { expect, it } from 'vitest';
import { detectCharset } from './detect-charset.ts';

const russian = Buffer.from('\xcc\xf3\xe7\xe5\xe9 \xee\xf2\xea\xf0\xfb\xf2', 'latin1');

it('keeps nothing between texts', () => {
  expect(detectCharset(Buffer.from(`${russian.toString('latin1')} `.repeat(10_000), 'latin1'))).toBe(
    'windows-1251',
  );
  const short = Buffer.from('\xca\xc7\xd1\xca\xb4\xd5\xa4\xc3\xd1\xba', 'latin1');
  expect(detectCharset(short)).toBe('windows-874');
  expect(detectCharset(russian)).toBe('windows-1251');
});

it('goes by a domain only if it is one', () => {
  for (const domain of ['', 'ru', 'RU', 'a.b', 'x'.repeat(100), 'ру', 'xn--p1ai'])
    expect(detectCharset(russian, domain)).toBe('windows-1251');
});

it('answers for anything', () => {
  expect(detectCharset(Buffer.alloc(0))).toBe('windows-1252');
  const all = Buffer.from(Array.from({ length: 70_000 }, (_, n) => (n * 7) % 256));
  expect(detectCharset(all, 'jp')).toMatch(/^[a-z0-9_-]+$/);
});
