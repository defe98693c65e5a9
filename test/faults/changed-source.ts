import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** One place of the source as it is, and as it is to be. */
export interface Change {
  file: string;
  from: string;
  to: string;
}

const root = resolve(import.meta.dirname, '../..');

/**
 * The product with a rule taken out, for controls: a copy of the packages in which a few places read otherwise.
 * Nothing of the product knows about it, so nobody can switch a rule off by accident. Answers the path of its
 * command.
 */
export function copyWith(changes: readonly Change[], under: string): string {
  cpSync(join(root, 'packages'), join(under, 'packages'), {
    recursive: true,
    filter: (path) => !/node_modules|\.test\.ts$|[/\\]dist$/.test(path),
  });
  linkModules(under);
  for (const { file, from, to } of changes) {
    const path = join(under, file);
    const text = readFileSync(path, 'utf8');
    if (text.split(from).length !== 2)
      throw new Error(`the control does not fit the source any more: ${file} has not one "${from}"`);
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
  }
  return join(under, 'packages/cli/src/bin.ts');
}

/** What is not ours is shared; our own packages are the copies. */
function linkModules(under: string): void {
  const modules = join(under, 'node_modules');
  mkdirSync(join(modules, '@webfarer'), { recursive: true });
  const own = ownPackages();
  const ours = new Set(['@webfarer', ...own.map(({ name }) => name)]);
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (!ours.has(name) && !name.startsWith('.'))
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  for (const { folder, name } of own) symlinkSync(join(under, 'packages', folder), join(modules, name));
}

function ownPackages(): { folder: string; name: string }[] {
  return readdirSync(join(root, 'packages')).map((folder) => {
    const manifest = readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8');
    return { folder, name: (JSON.parse(manifest) as { name: string }).name };
  });
}
