import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { isRelative } from '../check/imports.ts';
import { specifiersIn } from './specifiers.ts';
import type { Manifest } from './workspace.ts';

/** Started by their path, as the main module of a thread or process. */
const started = /(-thread|-main)\.js$/;

/**
 * Puts the modules of a staged package into few files: Node takes a quarter of a millisecond and more for each module it
 * looks up and links, before any of its code runs. Every export and whatever is started by its path keeps its place; the
 * rest moves to `dist/chunks`, divided so that nothing is loaded that was not imported before. Names and lines stay
 * readable, for stack traces. What is read as text at run time stays as it is.
 */
export async function joinModules(staged: string, manifest: Manifest): Promise<void> {
  const dist = join(staged, 'dist');
  const modules = new Set(codeIn(dist));
  const entries = [...entriesOf(staged, manifest), ...[...modules].filter((path) => started.test(path))];
  if (entries.length === 0) return;
  const reached = closureOf(entries, modules);
  const kept = closureOf(
    [...modules].filter((path) => !reached.has(path)),
    modules,
  );
  const made = await rolldown({
    input: Object.fromEntries(entries.map((path) => [nameIn(dist, path), path])),
    cwd: staged,
    platform: 'node',
    external: (specifier, from) => from !== undefined && !isOwn(specifier, from, modules),
    // What a module does when it is loaded is its author's intent, whatever package.json says of side effects.
    treeshake: false,
    plugins: [asBefore(dist)],
  });
  const { output } = await made.generate({
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    minify: false,
  });
  await made.close();
  for (const path of reached) if (!kept.has(path)) rmSync(path);
  mkdirSync(join(dist, 'chunks'), { recursive: true });
  for (const file of output)
    writeFileSync(join(dist, file.fileName), file.type === 'chunk' ? file.code : file.source);
}

/** Modules of the package itself; what it carries of others is joined already. */
function codeIn(dist: string): string[] {
  return readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(dist, 'vendor') + sep));
}

/** `exports` and `bin` of a published package.json. */
function entriesOf(staged: string, { exports = {}, bin = {} }: Manifest): string[] {
  const targets = Object.values(exports as Record<string, string | { default: string }>).map((target) =>
    typeof target === 'string' ? target : target.default,
  );
  return [...targets, ...Object.values(bin)]
    .filter((path) => path.endsWith('.js') && !path.includes('*'))
    .map((path) => resolve(staged, path));
}

function isOwn(specifier: string, from: string, modules: ReadonlySet<string>): boolean {
  return modules.has(isRelative(specifier) ? resolve(dirname(from), specifier) : specifier);
}

function closureOf(from: readonly string[], modules: ReadonlySet<string>): Set<string> {
  const seen = new Set<string>();
  const open = [...from];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    for (const specifier of specifiersIn(readFileSync(path, 'utf8')))
      if (isOwn(specifier, path, modules)) open.push(resolve(dirname(path), specifier));
  }
  return seen;
}

const nameIn = (dist: string, path: string): string =>
  relative(dist, path).replace(/\.js$/, '').split(sep).join('/');

/** Lets each module still find the files beside it: `import.meta.dirname` means the folder it was in before. */
function asBefore(dist: string): Plugin {
  const mark = (folder: string): string => `__folderOfModule(${JSON.stringify(folder)})`;
  const marks = /__folderOfModule\(["']([^"']*)["']\)/g;
  return {
    name: 'as-before',
    transform(code, id) {
      const folder = relative(dist, dirname(id)).split(sep).join('/');
      // In a template with a tag, </script would be taken apart by a helper of another package; this means the same.
      const inTemplate = code.replaceAll('</script', '<\\/script');
      return { code: inTemplate.replaceAll('import.meta.dirname', mark(folder)), map: null };
    },
    renderChunk(code, chunk) {
      if (!code.includes('__folderOfModule')) return null;
      const up = relative(dirname(join(dist, chunk.fileName)), dist)
        .split(sep)
        .join('/');
      const placed = code.replace(marks, (_, folder: string) => {
        const way = [up, folder].filter(Boolean).join('/');
        return way === '' ? 'import.meta.dirname' : `(import.meta.dirname + ${JSON.stringify(`/${way}`)})`;
      });
      return { code: placed, map: null };
    },
  };
}
