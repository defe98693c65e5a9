import { expect, test } from 'vitest';
import { jsonLine } from '@webfarer/protocol/crawl';
import { printable } from './printable.ts';

const evil = 'a\x9b31mb\u202ec\u2066d\u200fe\u2028f\x7fg\ufeffh';
// oxlint-disable-next-line no-control-regex -- what must not be there
const obeyed = /[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;

test('JSON escapes what a terminal or a reader could obey, and keeps what it says', () => {
  const line = jsonLine({ title: evil });
  expect(line).not.toMatch(obeyed);
  expect(JSON.parse(line)).toEqual({ title: evil });
});

test('nothing that is printed turns the text behind it, and colours stay', () => {
  expect(printable(evil)).toBe('a31mbcdefgh');
  expect(printable('\x1b[31mred\x1b[0m\n')).toBe('\x1b[31mred\x1b[0m\n');
});

test('no password is printed', () => {
  expect(printable('Go on: --store redis://a:secret@h')).toBe('Go on: --store redis://***@h');
  expect(jsonLine({ next: 'redis://a:secret@h' })).toBe('{"next":"redis://***@h"}\n');
});
