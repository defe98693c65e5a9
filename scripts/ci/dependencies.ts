import { posix } from 'node:path';
import { type ImportOf, isRelative, packageOf, resolveFrom } from '../check/imports.ts';
import type { Project, Source } from '../check/project.ts';
import { headerOf } from './header.ts';

/**
 * Everything that a file needs when it runs, itself included. A folder stands for all files below it. With `around` the
 * walk does not enter files of the product: what is found is what stands around it.
 */
export type Needs = (path: string, around?: 'around') => ReadonlySet<string>;

/** A path from the root of the project, anywhere in a string. */
const rootPath =
  /(?<![\w/.@*-])(?:packages|docs|test|bench|scripts|examples|deploy|site|\.ci|\.github)\/[\w./-]*\w/g;
/** Proofs and benches import their types; they load any of them. */
const runners = new Set(['test/prove.ts', 'bench/bench.ts']);
const placesItself = /\bimport\.meta\.(dirname|filename|url)\b/;

/**
 * Reads off the source what each file needs: its imports, followed name by name through files that only re-export, and
 * the paths in its strings, by which it starts a program, opens a thread or reads a file. What no string names, a
 * line "watches:" at the top of the file does.
 */
export function dependencies(project: Project): Needs {
  const sources = new Map(project.sources.map((source) => [source.path, source]));
  const entries = entriesOf(project);
  const files = [...project.paths];
  const below = (folder: string) => files.filter((path) => path.startsWith(`${folder}/`));
  const named = memo((path: string) => {
    const source = sources.get(path);
    return source === undefined ? [] : [...pathsIn(source, project.paths), ...headerOf(source.text).watches];
  });
  /** Files that only re-export, by who imports through them: loaded, but not followed to all that they name. */
  const passedThrough = new Map<string, Set<string>>();
  /** What it runs. */
  const direct = memo((path: string) => {
    const source = sources.get(path);
    const through = new Set<string>();
    passedThrough.set(path, through);
    const imported = source?.imports.flatMap((each) => targets(source, each, through)) ?? [];
    return [...imported, ...named(path).filter((found) => sources.has(found))];
  });
  /** What it reads: files below a folder that it names need nothing themselves. */
  const read = memo((path: string) => {
    const found = named(path).filter((each) => !sources.has(each));
    return [...(passedThrough.get(path) ?? []), ...found.flatMap((each) => [each, ...below(each)])];
  });

  function targets(from: Source, { specifier, names, typeOnly }: ImportOf, through: Set<string>): string[] {
    if (typeOnly) return [];
    const path = isRelative(specifier) ? resolveFrom(from.path, specifier) : entries(specifier);
    const target = path === undefined ? undefined : sources.get(path);
    if (path === undefined || target === undefined)
      return path !== undefined && project.paths.has(path) ? [path] : [];
    if (names.length === 0 || !isBarrel(target)) return [path];
    const passed = names.map((name) => ({
      name,
      by: target.imports.find((each) => each.names.includes(name)),
    }));
    // A name that it passes on under another one: then everything may be meant.
    if (passed.some(({ by }) => by === undefined)) return [path];
    through.add(path);
    return passed.flatMap(({ name, by }) => (by ? targets(target, { ...by, names: [name] }, through) : []));
  }

  const walk = (isEntered: (path: string) => boolean) =>
    memo((path: string) => {
      const seen = new Set([path]);
      for (const each of seen) if (isEntered(each)) for (const next of direct(each)) seen.add(next);
      const entered = [...seen].filter(isEntered);
      return new Set([...seen, ...entered.flatMap(read)]);
    });
  const whole = walk(() => true);
  const outside = walk((path) => !path.startsWith('packages/') && !runners.has(path));
  return (path, around) => (around === undefined ? whole(path) : outside(path));
}

/** Only re-exports: what is imported from it needs only the file that it comes from. */
function isBarrel({ tokens }: Source): boolean {
  return !tokens.some(
    ({ kind, text }) =>
      kind === 'word' && ['const', 'let', 'function', 'class', 'await', 'import'].includes(text),
  );
}

/** The source behind `@webfarer/coordinator` and `@webfarer/coordinator/redis`. */
function entriesOf({ manifests }: Project): (specifier: string) => string | undefined {
  const byName = new Map(manifests.map((manifest) => [manifest.name, manifest.exports]));
  return (specifier) => {
    const name = packageOf(specifier);
    return byName.get(name)?.get(`.${specifier.slice(name.length)}`);
  };
}

function pathsIn(source: Source, paths: ReadonlySet<string>): string[] {
  const besides = placesItself.test(source.text);
  const folder = posix.dirname(source.path);
  return source.tokens.flatMap(({ kind, text }) => {
    if (kind !== 'string' && kind !== 'template') return [];
    const rooted = [...text.matchAll(rootPath)].map(([path]) => path.replace(/\/$/, ''));
    const words = text.replace(/^`|`$|\$\{$|^\}/g, '');
    const beside = besides && /^[\w./-]*\w$/.test(words) ? posix.join(folder, words) : undefined;
    const candidates = beside === undefined ? rooted : [...rooted, beside, `${beside}.ts`];
    return candidates.filter((path) => paths.has(path) && isFurther(source, path));
  });
}

/**
 * The folder of the file itself, or one above it, says where something is, not what is needed. Nor does a change of the
 * pages that the product carries break whatever starts the product: tests of those pages name them.
 */
function isFurther({ path, inPackages }: Source, named: string): boolean {
  return !`${path}/`.startsWith(`${named}/`) && (!inPackages || named.startsWith('packages/'));
}

function memo<Value>(make: (key: string) => Value): (key: string) => Value {
  const made = new Map<string, Value>();
  return (key) => {
    let value = made.get(key);
    if (value === undefined) {
      value = make(key);
      made.set(key, value);
    }
    return value;
  };
}
