import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from './package/build.ts';
import { packAll, type Tarball } from './package/pack.ts';
import { sbomOf } from './package/sbom.ts';
import { root } from './package/workspace.ts';
import type { Released } from './publish.ts';

/**
 * `npm run release`: builds and packs what would be published, with an SBOM. The same sources give the same bytes, so
 * anyone can compare a published tarball with their own: `--twice` builds two times and compares. `publish.ts` uploads it.
 */
const twice = process.argv.includes('--twice');
const tarballs = await make();
if (twice && digests(await make()) !== digests(tarballs)) {
  console.error('A second build gives other bytes.');
  process.exit(1);
}
for (const { name, version, path, bytes, integrity } of tarballs) {
  console.log(`${name}@${version}  ${(bytes / 1024).toFixed(1)} KiB  ${relative(root, path)}`);
  console.log(`  ${integrity}`);
}
write('build/sbom.cdx.json', sbomOf(tarballs));
// Dependencies come first in the list, so that what is published can always be installed.
const released = tarballs.map(
  ({ name, version, path, integrity }): Released => ({
    name,
    version,
    file: relative(root, path),
    integrity,
  }),
);
write('build/release.json', released);

async function make(): Promise<Tarball[]> {
  await build();
  return packAll();
}

function digests(made: readonly Tarball[]): string {
  return made.map(({ integrity }) => integrity).join(' ');
}

function write(path: string, content: unknown): void {
  writeFileSync(join(root, path), `${JSON.stringify(content, null, 2)}\n`);
  console.log(path);
}
