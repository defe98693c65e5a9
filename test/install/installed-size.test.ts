import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { copyTexts } from '../../scripts/package/pack.ts';
import { installedSize, missingTexts, sizeFailures } from './installed-size.ts';

const folder = mkdtempSync(join(tmpdir(), 'webfarer-installed-'));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};

test('packages and bytes are counted, packages inside others too', () => {
  write('node_modules/a/index.js', '12345');
  write('node_modules/a/node_modules/b/index.js', '123');
  const lock = '{"packages":{"node_modules/a":{},"node_modules/a/node_modules/b":{}}}';
  write('node_modules/.package-lock.json', lock);
  expect(installedSize(folder)).toEqual({ packages: 2, bytes: 8 + lock.length });
});

test('what is over a limit is said', () => {
  const limits = { packages: 2, bytes: 100 };
  expect(sizeFailures({ packages: 2, bytes: 100 }, limits)).toEqual([]);
  expect(sizeFailures({ packages: 3, bytes: 101 }, limits)).toHaveLength(2);
});

test('the command comes with its guides, its license and the schema of job files', () => {
  expect(missingTexts(folder)).toContain('docs/library.md is missing from the package');
  copyTexts('cli', join(folder, 'node_modules/webfarer'));
  // The schema is made by a build, which no test makes.
  expect(missingTexts(folder).filter((line) => !line.startsWith('job.schema.json'))).toEqual([]);
});
