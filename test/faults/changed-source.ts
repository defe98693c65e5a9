import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative, resolve } from 'node:path';

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
  applyChanges(changes, under);
  return join(under, 'packages/cli/src/bin.ts');
}

/** Copies the whole project with its tests and proofs, so that any of them can run against a changed source. */
export function copyProject(under: string): void {
  const leftOut =
    /^(\.git|\.tools|node_modules|build|coverage)$|(^|[/\\])(node_modules|dist|[^/\\]+\.crawl)$/;
  cpSync(root, under, {
    recursive: true,
    filter: (path) => !leftOut.test(relative(root, path)),
  });
  if (existsSync(join(root, '.tools'))) symlinkSync(join(root, '.tools'), join(under, '.tools'));
  linkModules(under);
}

/** Applies all changes or none. Answers a function that restores the files. */
export function applyChanges(changes: readonly Change[], under: string): () => void {
  const before = new Map<string, string>();
  const after = new Map<string, string>();
  for (const change of changes) {
    const path = join(under, change.file);
    const text = after.get(path) ?? readFileSync(path, 'utf8');
    const problem = misfitOf(change, text);
    if (problem !== undefined) throw new Error(problem);
    if (!before.has(path)) before.set(path, text);
    after.set(
      path,
      text.replace(change.from, () => change.to),
    );
  }
  for (const [path, text] of after) writeFileSync(path, text);
  return () => {
    for (const [path, text] of before) writeFileSync(path, text);
  };
}

/** Why a change does not fit the text of its file; undefined when it does. */
export function misfitOf(
  { file, from }: Pick<Change, 'file' | 'from'>,
  text: string | undefined,
): string | undefined {
  const times = text === undefined ? 0 : text.split(from).length - 1;
  if (times === 1) return undefined;
  const where = text === undefined ? `${file} does not exist` : `found ${times} times in ${file}`;
  return `the change does not fit the source any more: ${where}: "${from}"`;
}

/** What is not ours is shared; our own packages are those of the copy. */
export function linkModules(under: string): void {
  const modules = join(under, 'node_modules');
  mkdirSync(join(modules, '@webfarer'), { recursive: true });
  const own = packagesOf(under);
  const ours = new Set(['@webfarer', ...own.map(({ name }) => name)]);
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (!ours.has(name) && !name.startsWith('.'))
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  for (const { folder, name } of own) symlinkSync(join(under, 'packages', folder), join(modules, name));
}

function packagesOf(tree: string): { folder: string; name: string }[] {
  return readdirSync(join(tree, 'packages')).map((folder) => {
    const manifest = readFileSync(join(tree, 'packages', folder, 'package.json'), 'utf8');
    return { folder, name: (JSON.parse(manifest) as { name: string }).name };
  });
}
