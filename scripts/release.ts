import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from './package/build.ts';
import { packAll, type Tarball } from './package/pack.ts';
import { sbomOf } from './package/sbom.ts';
import { root } from './package/workspace.ts';

/**
 * `npm run release`: builds and packs what would be published, with an SBOM. The same sources give the same bytes, so
 * anyone can compare a published tarball with their own: `--twice` builds two times and compares. `--publish` uploads
 * what the registry does not have yet; only the release workflow may, because the registry trusts its identity alone.
 */
const twice = process.argv.includes('--twice');
const publishes = process.argv.includes('--publish');
if (publishes && process.env['ACTIONS_ID_TOKEN_REQUEST_URL'] === undefined) {
  console.error(
    'Only the release workflow publishes: it proves by its identity which sources a tarball comes from.',
  );
  console.error('Without --publish this command makes the same tarballs.');
  process.exit(2);
}
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
write(
  'build/release.json',
  tarballs.map(({ name, version, path, integrity }) => ({
    name,
    version,
    file: relative(root, path),
    integrity,
  })),
);
if (publishes) for (const tarball of tarballs) publish(tarball);

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

/** Dependencies come first in the list, so that what is published can always be installed. */
function publish({ name, version, path }: Tarball): void {
  const known = spawnSync('npm', ['view', `${name}@${version}`, 'version'], { encoding: 'utf8' });
  if (known.stdout.trim() === version) {
    console.log(`${name}@${version} is in the registry already`);
    return;
  }
  const done = spawnSync('npm', ['publish', path, '--provenance', '--access', 'public'], {
    stdio: 'inherit',
  });
  if (done.status !== 0) throw new Error(`npm publish of ${name}@${version} ended with ${done.status}`);
}
