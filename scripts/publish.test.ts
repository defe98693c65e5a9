import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { publishAll } from './publish.ts';

const root = resolve(import.meta.dirname, '..');
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

interface Workflow {
  jobs: Record<string, { permissions?: Record<string, string>; steps: { uses?: string; run?: string }[] }>;
}
const workflow = (name: string) =>
  parse(readFileSync(join(root, '.github/workflows', name), 'utf8')) as Workflow;

test('no job that has the identity of a publisher installs or builds anything', () => {
  const trusted = Object.values(workflow('release.yml').jobs).filter(
    ({ permissions }) => permissions?.['id-token'] === 'write',
  );
  expect(trusted).toHaveLength(1);
  const lines = trusted.flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  expect(lines.join('\n')).not.toMatch(/npm (?:ci|install|run|exec)|npx/);
  expect(readFileSync(join(import.meta.dirname, 'publish.ts'), 'utf8')).not.toMatch(/from '(?!node:)/);
});

test('actions are named by commit, whose version stands behind it', () => {
  for (const name of ['ci.yml', 'release.yml']) {
    const text = readFileSync(join(root, '.github/workflows', name), 'utf8');
    for (const line of text.split('\n').filter((each) => each.includes('uses:')))
      expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+(?:\.\d+){2}$/);
  }
});
