import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  isListOfLines,
  listOf,
  nextName,
  plainValue,
  savesWith,
  shownList,
  tagsOf,
  withSaver,
} from './job-values.ts';

it('reads numbers as numbers and everything else as it was typed', () => {
  expect(['5000', ' 2.5 ', '1s', 'none', '', '007', '1e3'].map(plainValue)).toEqual([
    5000,
    2.5,
    '1s',
    'none',
    undefined,
    '007',
    '1e3',
  ]);
});

it('writes lists as lines and reads them back', () => {
  const list = ['example.org', { sitemap: 'https://example.org/map.xml' }, { regex: '^a: b' }];
  expect(shownList(list)).toBe('example.org\nsitemap: https://example.org/map.xml\nregex: ^a: b');
  expect(listOf(`\n${shownList(list)}\n\n`)).toEqual(list);
  expect([isListOfLines(list), isListOfLines([{ a: 1, b: 2 }]), isListOfLines('x')]).toEqual([
    true,
    false,
    false,
  ]);
  fc.assert(
    fc.property(fc.string(), (text) => {
      const value = listOf(text);
      expect(listOf(shownList(value))).toEqual(value);
      expect(isListOfLines(value)).toBe(true);
    }),
  );
});

it('adds and removes savers and keeps what is said of the others', () => {
  const warc = { warc: { rotate: '1GB' } };
  expect(savesWith(undefined)).toEqual(['warc']);
  expect(withSaver([warc], 'markdown', true)).toEqual([warc, 'markdown']);
  expect(withSaver([warc, 'markdown'], 'markdown', false)).toEqual([warc]);
  expect(withSaver(undefined, 'warc', false)).toEqual(['none']);
  expect(withSaver(['none'], 'tar', true)).toEqual(['tar']);
});

it('reads tags, and finds the next name', () => {
  expect(tagsOf(' a, b,,a ')).toEqual(['a', 'b']);
  expect([nextName('museum'), nextName('museum-2'), nextName('a-9-9')]).toEqual([
    'museum-2',
    'museum-3',
    'a-9-10',
  ]);
});
