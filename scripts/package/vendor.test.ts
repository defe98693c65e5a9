import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withSpecifiers } from './specifiers.ts';
import { reachableTypes } from './vendor-types.ts';
import { vendor } from './vendor.ts';

const folder = mkdtempSync(join(tmpdir(), 'webfarer-vendor-'));
const at = (path: string): string => join(folder, path);
const read = (path: string): string => readFileSync(at(path), 'utf8');
function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  }
}

beforeAll(async () => {
  write({
    'home/node_modules/outer/package.json':
      '{"name":"outer","version":"1.0.0","license":"MIT","type":"module","exports":{".":{"types":"./index.d.ts","default":"./index.js"}}}',
    'home/node_modules/outer/index.js': "import { two } from 'inner'; export const four = two + two;",
    'home/node_modules/outer/index.d.ts':
      "/** `import { x } from 'shared'` */\nimport type { Two } from 'inner';\nexport declare const four: Two;\n",
    'home/node_modules/outer/LICENSE': 'Outer may be used.',
    'home/node_modules/inner/package.json':
      '{"name":"inner","version":"2.0.0","license":"ISC","author":"Some One","type":"module","main":"index.js","types":"index.d.ts"}',
    'home/node_modules/inner/index.js':
      "import { sep } from 'shared'; export const two = 1 + sep.length; export const unused = 'left out';",
    'home/node_modules/inner/index.d.ts': 'export type Two = number;\n',
    'staged/dist/deep/code.js': "const later = () => import('outer');\nexport const read = later;\n",
    'staged/dist/deep/code.d.ts': "export { four } from 'outer';\n",
  });
  await vendor({
    staged: at('staged'),
    home: at('home'),
    bundled: ['outer'],
    carried: new Map([['shared', 'node:path']]),
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

test('code reaches the copy, and the copy has only what is used', async () => {
  expect(read('staged/dist/deep/code.js')).toContain("import('../vendor/outer.js')");
  const copy = read('staged/dist/vendor/outer.js');
  expect(copy).toContain('node:path');
  expect(copy).not.toContain('left out');
  const { four } = (await import(pathToFileURL(at('staged/dist/vendor/outer.js')).href)) as { four: number };
  expect(four).toBe(4);
});

test('types reach copies of all they refer to, and examples in comments are left alone', () => {
  expect(read('staged/dist/deep/code.d.ts')).toBe("export { four } from '../vendor/types/outer/index.js';\n");
  const copy = read('staged/dist/vendor/types/outer/index.d.ts');
  expect(copy).toContain("from '../inner/index.js'");
  expect(copy).toContain("from 'shared'");
  expect(read('staged/dist/vendor/types/inner/index.d.ts')).toBe('export type Two = number;\n');
});

test('the licenses of everything inside are written down', () => {
  const text = read('staged/THIRD-PARTY-LICENSES.txt');
  expect(text).toContain('outer 1.0.0 (MIT)');
  expect(text).toContain('Outer may be used.');
  expect(text).toMatch(/inner 2\.0\.0 \(ISC\)[^]+Copyright \(c\) Some One[^]+Permission to use/);
});

test('a package that nothing imports is not taken along silently', async () => {
  const options = { staged: at('staged'), home: at('home'), carried: new Map<string, string>() };
  await expect(vendor({ ...options, bundled: ['absent'] })).rejects.toThrow('no code imports it');
});

test('a package whose bundle lacks a name that is imported is not packed', async () => {
  write({
    'home/node_modules/older/package.json': '{"name":"older","version":"1.0.0","license":"MIT"}',
    'home/node_modules/older/index.js': 'exports.one = 1;',
    'old/dist/code.js': "import { one } from 'older';\nexport const two = one + one;\n",
  });
  const options = { staged: at('old'), home: at('home'), carried: new Map<string, string>() };
  await expect(vendor({ ...options, bundled: ['older'] })).rejects.toThrow('does not export one');
});

test('only imports are replaced, never other strings', () => {
  const text = "import { a } from 'x';\nconst name = 'x';\n";
  expect(withSpecifiers(text, () => './y.js')).toBe("import { a } from './y.js';\nconst name = 'x';\n");
});

test('declarations that no entry leads to are known', () => {
  write({
    'types/index.d.ts': "export type { B } from './b.js';\n",
    'types/b.d.ts': 'export type B = 1;\n',
    'types/c.d.ts': 'export type C = 1;\n',
  });
  expect(reachableTypes([at('types/index.d.ts')])).toEqual(
    new Set([at('types/index.d.ts'), at('types/b.d.ts')]),
  );
});
