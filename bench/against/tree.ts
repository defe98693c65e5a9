import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const benchLimitMs = 20 * 60_000;

/** A checkout in which benches can be run. */
export interface Tree {
  path: string;
  commit: string;
  /** Answers the bench's line of figures; a bench below its bar still answers. */
  bench(name: string, args: string[]): Promise<Record<string, unknown>>;
}

/** This checkout as it stands, uncommitted changes included. */
export async function thisTree(): Promise<Tree> {
  const dirty = (await git(root, 'status', '--porcelain', '--untracked-files=no')) === '' ? '' : '+';
  return treeAt(root, `${await git(root, 'rev-parse', 'HEAD')}${dirty}`);
}

/** Another commit in a worktree of its own, with dependencies exactly as it locks them. */
export async function treeOf(commit: string, under: string): Promise<Tree & { remove(): Promise<void> }> {
  const hash = await git(root, 'rev-parse', '--verify', `${commit}^{commit}`);
  const path = join(under, hash.slice(0, 12));
  await git(root, 'worktree', 'add', '--detach', path, hash);
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: path, timeout: 300_000 });
  return {
    ...treeAt(path, hash),
    async remove() {
      rmSync(path, { recursive: true, force: true });
      await git(root, 'worktree', 'prune');
    },
  };
}

function treeAt(path: string, commit: string): Tree {
  return {
    path,
    commit,
    async bench(name, args) {
      const { stdout } = await run(process.execPath, ['bench/bench.ts', name, ...args], {
        cwd: path,
        timeout: benchLimitMs,
        maxBuffer: 64 * 1024 * 1024,
      }).catch((error: { stdout?: string; message: string }) => {
        if (error.stdout?.includes('"sizes":')) return { stdout: error.stdout };
        throw new Error(`bench ${name} failed at ${commit}: ${error.message}`);
      });
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
    },
  };
}

async function git(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('git', args, { cwd });
  return stdout.trim();
}

/** Whether a bench exists in a tree: an older commit may not have it. */
export function hasBench({ path }: Tree, name: string): boolean {
  const file = join(path, 'bench', `${name}.ts`);
  return existsSync(file) && readFileSync(file, 'utf8').includes('export async function bench');
}
