import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';
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

const jsx = (source: string) => lex(source, { jsx: true });

test('the text of JSX is no code, what stands in its braces is', () => {
  const { tokens, comments } = jsx(
    `const a = <p className="x-y" data-x='a > b'>it's // <b>import 'x'</b>{f(<i />, "</p>")}</p>;\n// told\nb / c`,
  );
  expect(tokens.filter(({ kind }) => kind === 'text').map(({ text }) => text)).toEqual([
    "it's // ",
    "import 'x'",
  ]);
  expect(tokens.filter(({ kind }) => kind === 'string').map(({ text }) => text)).toEqual([
    'x-y',
    'a > b',
    '</p>',
  ]);
  expect(tokens.map(({ text }) => text).slice(-4)).toEqual([';', 'b', '/', 'c']);
  expect(comments).toEqual([{ text: 'told', line: 2 }]);
});

test('type arguments, type parameters and comparisons open no element', () => {
  for (const source of [
    'f<A>(b); "c"',
    'const f = <T,>(x: T) => x; "c"',
    'const f = <T extends A>(x: T) => x; "c"',
    'if (a <b) "c"',
    '<List<A> of={[1]}>a</List>; "c"',
    '<>a {b}</>; "c"',
  ])
    expect(jsx(source).tokens.at(-1), source).toMatchObject({ kind: 'string', text: 'c' });
});

test('a slash behind an assertion divides', () => {
  expect(code('a! / b / c; !/"/.test(d)')).toContain('b');
  expect(code('a! / b / c; !/"/.test(d)')).toContain('/"/');
});

/** What a parser finds that the lexer must find too, by kind, line and text. */
function parsed(path: string, text: string): string[] {
  const lines = text.split('\n');
  const ends = lines.map((line) => line.length + 1);
  for (let i = 1; i < ends.length; i++) ends[i] = (ends[i] ?? 0) + (ends[i - 1] ?? 0);
  const found = new Map<number, string>();
  const note = (kind: string, { start }: { start: number }, what: string): void => {
    found.set(start, `${kind} ${ends.findIndex((end) => end > start) + 1} ${what}`);
  };
  new Visitor({
    Identifier: (node) => note('word', node, node.name),
    JSXIdentifier: (node) => note('word', node, node.name),
    JSXText: (node) => {
      if (node.value.trim() !== '') note('text', node, text.slice(node.start, node.end));
    },
    Literal: (node) => {
      if (typeof node.value === 'string') note('string', node, text.slice(node.start + 1, node.end - 1));
      else if ('regex' in node) note('regex', node, text.slice(node.start, node.end));
    },
  }).visit(parseSync(path, text).program);
  return [...found.values()];
}

test('the lexer and a parser agree on every .tsx file', () => {
  const root = resolve(import.meta.dirname, '../..');
  const files = globSync('packages/*/{src,browser}/**/*.tsx', { cwd: root });
  expect(files.length).toBeGreaterThan(100);
  for (const path of files) {
    const text = readFileSync(resolve(root, path), 'utf8');
    const lexed = new Set(jsx(text).tokens.map(({ kind, line, text: what }) => `${kind} ${line} ${what}`));
    expect([path, parsed(path, text).filter((each) => !lexed.has(each))]).toEqual([path, []]);
  }
});
