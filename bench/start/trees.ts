import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from '../../scripts/package/build.ts';
import { packAll } from '../../scripts/package/pack.ts';

const root = resolve(import.meta.dirname, '../..');

/** The command as it runs from the sources of this checkout. */
export const sourceBin = join(root, 'packages/cli/src/bin.ts');

/** Packs what a release would have, installs it into an empty folder and answers the file that `webfarer` runs. */
export async function installPacked(folder: string): Promise<string> {
  await build({ unchecked: true });
  const tarballs = (await packAll()).map(({ path }) => path);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...tarballs];
  const done = spawnSync('npm', words, { cwd: folder, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`npm install of the tarballs: ${done.stderr}`);
  return join(folder, 'node_modules/webfarer/dist/bin.js');
}
