import { expect, test } from 'vitest';
import { importsOf, packageOf, resolveFrom } from './imports.ts';
import { lex } from './tokens.ts';

const imports = (source: string) => importsOf(lex(source).tokens);
const specifiers = (source: string): string[] => imports(source).map(({ specifier }) => specifier);

test('every way of importing is seen', () => {
  expect(
    specifiers(`
      import a from 'a';
      import b, { c as d, type e } from "b";
      import * as f from 'f';
      import 'g';
      export { h } from 'h';
      export * from 'i';
      export type { j } from 'j';
      const k = await import('k');
      const l = require('l');
      const m = module.createRequire(import.meta.url)('m');
    `),
  ).toEqual(['a', 'b', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm']);
});

test('what only looks like an import is not one', () => {
  expect(
    specifiers(`
      // import 'a';
      const text = "import 'b'"; const more = \`import 'c'\`;
      export const from = 'd';
      export { local };
      const e = 'e';
      import.meta.dirname;
      tools.import('f');
    `),
  ).toEqual([]);
});

test('type imports and names are told apart', () => {
  expect(imports(`import type { A, B as C } from 'x'`)[0]).toMatchObject({
    typeOnly: true,
    names: ['A', 'B'],
  });
  expect(imports(`import { type A, b } from 'x'`)[0]).toMatchObject({ typeOnly: false, names: ['A', 'b'] });
  expect(imports(`import type from 'x'`)[0]).toMatchObject({ typeOnly: false });
});

test('specifiers lead to files and packages', () => {
  expect(resolveFrom('packages/a/src/x/y.ts', '../z.ts')).toBe('packages/a/src/z.ts');
  expect(packageOf('@scope/name/deep/er')).toBe('@scope/name');
  expect(packageOf('cheerio/slim')).toBe('cheerio');
});
