import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const tools = resolve(import.meta.dirname, '../../.tools');

/** The oldest release line we support, at its newest version. */
const old = { major: '22', version: '22.23.3' };

export interface NodeRelease {
  version: string;
  /** The folder with the `node` program, to stand first in the PATH. */
  bin: string;
}

/** The Node releases that a person may have: the one we develop on, and the oldest line we support. */
export function nodeReleases(): NodeRelease[] {
  return [oldRelease(), { version: process.versions.node, bin: dirname(process.execPath) }];
}

/** Fetched once, as a package, like scripts/setup does. */
function oldRelease(): NodeRelease {
  const home = join(tools, `node${old.major}`);
  const bin = join(home, 'bin');
  if (!existsSync(join(bin, 'node'))) {
    const platform = `${process.platform}-${process.arch}`;
    const fetched = join(tools, 'fetch22');
    rmSync(fetched, { recursive: true, force: true });
    mkdirSync(fetched, { recursive: true });
    execFileSync('npm', ['pack', '--silent', `node-${platform}@${old.version}`], {
      cwd: fetched,
      stdio: 'pipe',
    });
    const [tarball] = readdirSync(fetched);
    if (tarball === undefined) throw new Error(`npm pack brought no Node ${old.version}`);
    execFileSync('tar', ['xzf', tarball], { cwd: fetched });
    renameSync(join(fetched, 'package'), home);
    rmSync(fetched, { recursive: true });
  }
  const version = execFileSync(join(bin, 'node'), ['-p', 'process.versions.node'], {
    encoding: 'utf8',
  }).trim();
  return { version, bin };
}
