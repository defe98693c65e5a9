import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { joinModules } from './join-modules.ts';

const staged = mkdtempSync(join(tmpdir(), 'webfarer-join-'));
const at = (path: string): string => join(staged, path);
const load = async (path: string): Promise<unknown> => await import(pathToFileURL(at(path)).href);
const files: Record<string, string> = {
  'package.json': '{"type":"module"}',
  'dist/index.js':
    "export { folder } from './deep/place.js';\nexport const later = () => import('./deep/late.js');\n",
  'dist/narrow.js': "export { shared } from './deep/shared.js';\n",
  'dist/deep/place.js':
    "import { shared } from './shared.js';\nexport const folder = import.meta.dirname + shared;\n",
  'dist/deep/shared.js': "export const shared = '';\n",
  'dist/deep/late.js':
    "import { sep } from 'node:path';\nconst html = (parts) => parts.join(sep);\nexport const place = import.meta.dirname;\nexport const text = html`<script></script>`;\n",
  'dist/deep/some-thread.js':
    "import { shared } from './shared.js';\nexport const started = import.meta.dirname + shared;\n",
  'dist/page/read.js': "import { both } from './both.js';\nboth();\n",
  'dist/page/both.js': 'export function both() {}\n',
  'dist/vendor/other.js': 'export const other = 1;\n',
  'dist/uses.js':
    "import { other } from './vendor/other.js';\nimport { both } from './page/both.js';\nboth();\nexport { other };\n",
};

beforeAll(async () => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  }
  const entry = (name: string) => ({ types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` });
  const exports = { '.': entry('index'), './narrow': entry('narrow'), './uses': entry('uses') };
  await joinModules(staged, { name: 'x', version: '1.0.0', exports: exports as never });
});
afterAll(() => rmSync(staged, { recursive: true }));

test('exports and what is started by its path keep their places, and modules their folders', async () => {
  const deep = at('dist/deep');
  const { folder, later } = (await load('dist/index.js')) as { folder: string; later(): Promise<object> };
  expect(join(folder)).toBe(deep);
  const { place, text } = (await later()) as { place: string; text: string };
  expect([join(place), text]).toEqual([deep, '<script></script>']);
  const { started } = (await load('dist/deep/some-thread.js')) as { started: string };
  expect(join(started)).toBe(deep);
});

test('a narrow export loads nothing of the others', async () => {
  expect({ ...((await load('dist/narrow.js')) as object) }).toEqual({ shared: '' });
  const text = readFileSync(at('dist/narrow.js'), 'utf8');
  const [, chunk = ''] = /from ["']\.\/(chunks\/[^"']+)["']/.exec(text) ?? [];
  expect(readFileSync(at(`dist/${chunk}`), 'utf8')).not.toContain('folder');
});

test('joined modules are gone; what is only read, and what is carried of others, stays as it was', async () => {
  for (const path of ['dist/deep/place.js', 'dist/deep/shared.js', 'dist/deep/late.js'])
    expect([path, existsSync(at(path))]).toEqual([path, false]);
  for (const path of ['dist/page/read.js', 'dist/page/both.js', 'dist/vendor/other.js'])
    expect(readFileSync(at(path), 'utf8')).toBe(files[path]);
  expect({ ...((await load('dist/uses.js')) as object) }).toEqual({ other: 1 });
});
