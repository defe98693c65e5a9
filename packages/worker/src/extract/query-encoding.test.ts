import { expect, it } from 'vitest';
import { withQueryIn } from './query-encoding.ts';

it.each([
  ['utf-8', '/a?q=é', '/a?q=é'],
  ['utf-16le', '/a?q=é', '/a?q=é'],
  ['windows-1252', '/é?q=é#é', '/é?q=%E9#é'],
  ['windows-1252', '#?é', '#?é'],
  ['windows-1252', '/a?q=%C3%A9', '/a?q=%C3%A9'],
  ['windows-1251', '?q=Привет мир', '?q=%CF%F0%E8%E2%E5%F2%20%EC%E8%F0'],
  // What an encoding lacks is written as a character reference.
  ['windows-1251', '?q=日', '?q=%26%2326085%3B'],
  ['shift_jis', '?q=日本', '?q=%93%FA%96{'],
  ['euc-kr', '?q=한', '?q=%C7%D1'],
  ['gbk', '?q=中', '?q=%D6%D0'],
  ['iso-2022-jp', '?q=日', '?q=%1B$BF|%1B(B'],
])('%s: %s is asked for as %s', (charset, href, expected) => {
  expect(withQueryIn(charset, href)).toBe(expected);
});
