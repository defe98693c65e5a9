import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { publishAll } from './publish.ts';

let folder: string;
let ran: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-publish-'));
  ran = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function built(name: string) {
  writeFileSync(join(folder, `${name}.tgz`), `bytes of ${name}`);
  const integrity = `sha512-${createHash('sha512').update(`bytes of ${name}`).digest('base64')}`;
  return { name, version: '1.0.0', file: `${name}.tgz`, integrity };
}

const npm = (words: string[]) => {
  ran.push(words.slice(0, 2).join(' '));
  return { status: 0, stdout: words[1] === 'known@1.0.0' ? '1.0.0\n' : '' };
};

test('uploads in order what the registry does not have', () => {
  publishAll([built('known'), built('below'), built('above')], folder, npm);
  expect(ran).toEqual([
    'view known@1.0.0',
    'view below@1.0.0',
    `publish ${join(folder, 'below.tgz')}`,
    'view above@1.0.0',
    `publish ${join(folder, 'above.tgz')}`,
  ]);
});

test('uploads nothing where one tarball is not the one that was built', () => {
  const released = [built('good'), built('changed')];
  writeFileSync(join(folder, 'changed.tgz'), 'other bytes');
  expect(() => publishAll(released, folder, npm)).toThrow(/changed\.tgz is not what was built/);
  expect(ran).toEqual([]);
});

test('reads nothing but what Node has', () => {
  expect(readFileSync(join(import.meta.dirname, 'publish.ts'), 'utf8')).not.toMatch(/from '(?!node:)/);
});
