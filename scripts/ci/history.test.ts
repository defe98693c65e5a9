import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { historyOf } from './history.ts';

const root = mkdtempSync(join(tmpdir(), 'webfarer-history-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const own =
  (folder: string) =>
  (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.org', ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();

it('tells what changed since a commit, committed or not, and how long ago that was', () => {
  const git = own(root);
  const commit = (name: string) => {
    writeFileSync(join(root, name), name);
    git('add', '.');
    git('commit', '-m', name);
    return git('rev-parse', 'HEAD');
  };
  git('init', '-b', 'main');
  const first = commit('first.ts');
  commit('zweites ä.ts');
  git('mv', 'first.ts', 'moved.ts');
  const third = commit('third.ts');
  writeFileSync(join(root, 'third.ts'), 'changed');
  writeFileSync(join(root, 'new.ts'), 'new');
  const history = historyOf(root);
  expect(history).toMatchObject({ head: third, count: 3, missing: undefined });
  expect(history.changedSince(first)?.toSorted()).toEqual(
    ['first.ts', 'moved.ts', 'new.ts', 'third.ts', 'zweites ä.ts'].toSorted(),
  );
  expect(history.uncommitted()).toEqual(['third.ts', 'new.ts']);
  expect(history.ageOf(first)).toBe(2);
  expect(history.changedSince('0'.repeat(40))).toBeUndefined();
});

it('says that nothing can be compared in a shallow clone, and outside a checkout', () => {
  const clone = join(root, 'clone');
  own(root)('clone', '--depth', '1', `file://${root}`, clone);
  expect(historyOf(clone).missing).toBe('the clone is shallow');
  const elsewhere = mkdtempSync(join(tmpdir(), 'webfarer-no-git-'));
  expect(historyOf(elsewhere).missing).toBe('this is not a git checkout');
  rmSync(elsewhere, { recursive: true });
});
