import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const tools = resolve(import.meta.dirname, '../../.tools');

/** The release lines we support, each at its newest version. */
const lines = { 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' };
export type NodeLine = keyof typeof lines;

export interface NodeRelease {
  version: string;
  /** The folder with the `node` program, to stand first in the PATH. */
  bin: string;
}

/** A Node that a person may have: the one that runs this, if it is of that line, or else one that is fetched. */
export function nodeRelease(line: NodeLine): NodeRelease {
  if (process.versions.node.startsWith(`${line}.`))
    return { version: process.versions.node, bin: dirname(process.execPath) };
  const bin = join(tools, `node${line}`, 'bin');
  if (!existsSync(join(bin, 'node'))) fetchNode(line);
  const asked = execFileSync(join(bin, 'node'), ['-p', 'process.versions.node'], { encoding: 'utf8' });
  return { version: asked.trim(), bin };
}

/** Fetched once, as a package, like scripts/setup does. */
function fetchNode(line: NodeLine): void {
  const fetched = join(tools, `fetch${line}`);
  rmSync(fetched, { recursive: true, force: true });
  mkdirSync(fetched, { recursive: true });
  const name = `node-${process.platform}-${process.arch}@${lines[line]}`;
  execFileSync('npm', ['pack', '--silent', name], { cwd: fetched, stdio: 'pipe' });
  const [tarball] = readdirSync(fetched);
  if (tarball === undefined) throw new Error(`npm pack brought no ${name}`);
  execFileSync('tar', ['xzf', tarball], { cwd: fetched });
  rmSync(join(tools, `node${line}`), { recursive: true, force: true });
  renameSync(join(fetched, 'package'), join(tools, `node${line}`));
  rmSync(fetched, { recursive: true });
}
