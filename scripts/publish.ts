import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** What `npm run release` writes into `build/release.json`, in the order in which it can be published. */
export interface Released {
  name: string;
  version: string;
  /** From the top folder. */
  file: string;
  /** As npm writes it into lock files: `sha512-…`. */
  integrity: string;
}

/**
 * Uploads what another job has built: `node scripts/publish.ts`. Nothing is installed or built here, because this job alone
 * has the identity that the registry trusts, and code of dependencies must not run with it. So this file imports nothing but
 * Node's own modules.
 */
export function publishAll(released: readonly Released[], root: string, npm: Npm): void {
  for (const { file, integrity } of released) requireIntegrity(resolve(root, file), integrity);
  for (const { name, version, file } of released) {
    if (npm(['view', `${name}@${version}`, 'version']).stdout.trim() === version) {
      console.log(`${name}@${version} is in the registry already`);
      continue;
    }
    const { status } = npm(['publish', resolve(root, file), '--provenance', '--access', 'public']);
    if (status !== 0) throw new Error(`npm publish of ${name}@${version} ended with ${status}`);
  }
}

type Npm = (words: string[]) => { status: number | null; stdout: string };

function requireIntegrity(path: string, integrity: string): void {
  const found = `sha512-${createHash('sha512').update(readFileSync(path)).digest('base64')}`;
  if (found !== integrity) throw new Error(`${path} is not what was built: ${found}, not ${integrity}`);
}

function runNpm(words: string[]): { status: number | null; stdout: string } {
  const [verb] = words;
  const done = spawnSync('npm', words, {
    encoding: 'utf8',
    stdio: verb === 'view' ? ['ignore', 'pipe', 'ignore'] : ['ignore', 'inherit', 'inherit'],
  });
  return { status: done.status, stdout: verb === 'view' ? done.stdout : '' };
}

if (import.meta.main) {
  if (process.env['ACTIONS_ID_TOKEN_REQUEST_URL'] === undefined) {
    console.error(
      'Only the release workflow publishes: it proves by its identity which sources a tarball comes from.',
    );
    console.error('npm run release makes the same tarballs.');
    process.exit(2);
  }
  const root = resolve(import.meta.dirname, '..');
  const list = readFileSync(resolve(root, 'build/release.json'), 'utf8');
  publishAll(JSON.parse(list) as Released[], root, runNpm);
}
