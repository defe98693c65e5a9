import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { linkModules } from '../../test/faults/changed-source.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

export interface Tree {
  path: string;
  commit: string;
  remove(): Promise<void>;
}

/** The commit of this checkout; a plus behind it stands for changes that are not committed. */
export async function thisCommit(): Promise<string> {
  const dirty = (await git('status', '--porcelain', '--untracked-files=no')) === '' ? '' : '+';
  return `${await git('rev-parse', 'HEAD')}${dirty}`;
}

/**
 * Another commit in a worktree of its own, with dependencies exactly as it locks them: those of this checkout where
 * both have the same lock, else installed.
 */
export async function treeOf(commit: string, under: string): Promise<Tree> {
  const hash = await git('rev-parse', '--verify', `${commit}^{commit}`).catch(() => {
    throw new Error(`This clone does not have commit ${commit}. Run: git fetch --unshallow`);
  });
  const path = join(under, hash.slice(0, 12));
  await git('worktree', 'add', '--detach', path, hash);
  if (lockOf(path) === lockOf(root)) linkModules(path);
  else await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: path, timeout: 300_000 });
  return {
    path,
    commit: hash,
    async remove() {
      rmSync(path, { recursive: true, force: true });
      await git('worktree', 'prune');
    },
  };
}

function lockOf(path: string): string {
  return readFileSync(join(path, 'package-lock.json'), 'utf8');
}

async function git(...args: string[]): Promise<string> {
  const { stdout } = await run('git', args, { cwd: root });
  return stdout.trim();
}
