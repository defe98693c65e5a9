import { expect, test } from 'vitest';
import { lex } from './tokens.ts';

const code = (source: string): string[] => lex(source).tokens.map(({ text }) => text);

test('comments are kept apart from code', () => {
  const { tokens, comments } = lex('a(); // new URL(x)\n/* import "b" */ c();');
  expect(tokens.map(({ text }) => text).join(' ')).toBe('a ( ) ; c ( ) ;');
  expect(comments).toEqual([
    { text: 'new URL(x)', line: 1 },
    { text: 'import "b"', line: 2 },
  ]);
});

test('strings, templates and regular expressions are single tokens', () => {
  expect(code(`f('// no', "it's", /\\/[/"]+/g, a / b / c)`)).toEqual([
    'f',
    '(',
    '// no',
    ',',
    "it's",
    ',',
    '/\\/[/"]+/g',
    ',',
    'a',
    '/',
    'b',
    '/',
    'c',
    ')',
  ]);
});

test('code inside a template is code, braces and nested templates included', () => {
  const source = 'x = `one ${ f({ a: `two ${Date.now()}` }) } // three`; y';
  expect(code(source)).toContain('now');
  expect(code(source).at(-1)).toBe('y');
  expect(lex(source).comments).toEqual([]);
});

test('lines are counted through every kind of token', () => {
  const { tokens } = lex('`a\nb`\n/* \n */ "c"\nd');
  expect(tokens.map(({ text, line }) => [text, line])).toEqual([
    ['`a\nb`', 1],
    ['c', 4],
    ['d', 5],
  ]);
});

test('a regular expression may follow a word such as return', () => {
  expect(code('return /"/.test(x)')).toEqual(['return', '/"/', '.', 'test', '(', 'x', ')']);
});
