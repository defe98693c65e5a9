import { relative } from 'node:path';
import { build } from './package/build.ts';
import { packAll } from './package/pack.ts';
import { root } from './package/workspace.ts';

/**
 * `npm run release`: builds and packs what would be published, and stops there. The same sources give
 * the same bytes, so anyone can compare a published tarball with their own.
 */
if (process.argv.includes('--publish')) {
  console.error(
    'Publishing is done by hand: run npm publish on each tarball this command makes, in its order.',
  );
  process.exit(2);
}
await build();
for (const { name, version, path, bytes, integrity } of packAll()) {
  console.log(`${name}@${version}  ${(bytes / 1024).toFixed(1)} KiB  ${relative(root, path)}`);
  console.log(`  ${integrity}`);
}
