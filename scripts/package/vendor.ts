import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { isRelative, packageOf } from '../check/imports.ts';
import { type CarriedPackage, licensesIn, writeLicenses } from './licenses.ts';
import { relativeSpecifier, specifiersIn, withSpecifiers } from './specifiers.ts';
import { copyTypes } from './vendor-types.ts';

export interface Vendoring {
  /** The staged package: its code is in `dist`. */
  staged: string;
  /** Where its dependencies are resolved from. */
  home: string;
  /** Names of the packages that become part of this one. */
  bundled: readonly string[];
  /** Modules that a package of ours already carries, and where it exports them. */
  carried: ReadonlyMap<string, string>;
}

/** Where a carried module lies in `dist`, and under `./vendor/` among the exports of its package. */
export const vendorName = (specifier: string): string => specifier.replace(/^@/, '').replaceAll('/', '-');

/**
 * Puts dependencies into a staged package: the parts that its code reaches, in `dist/vendor`, with their types and
 * licenses; answers which packages these are. The sources keep importing them by name, so development and the published code run the same modules.
 */
export async function vendor({ staged, home, bundled, carried }: Vendoring): Promise<CarriedPackage[]> {
  if (bundled.length === 0) return [];
  const dist = join(staged, 'dist');
  const code = importers(dist, '.js', bundled);
  const specifiers = [...new Set([...code.values()].flat())].toSorted();
  const missing = bundled.filter((name) => !specifiers.some((each) => packageOf(each) === name));
  if (missing.length > 0)
    throw new Error(`${missing.join(', ')} cannot be bundled into ${home}: no code imports it`);
  const { modules, exported } = await bundle({ specifiers, home, into: join(dist, 'vendor'), carried });
  for (const path of code.keys()) requireNames(path, exported);
  pointAt(code, (specifier) => join(dist, 'vendor', `${vendorName(specifier)}.js`));
  const typed = importers(dist, '.d.ts', bundled);
  const types = copyTypes({
    specifiers: [...new Set([...typed.values()].flat())],
    home,
    into: join(dist, 'vendor/types'),
  });
  pointAt(typed, (specifier) => types.entries.get(specifier) ?? specifier);
  return writeLicenses([...modules, ...types.files], { in: 'dist/vendor', to: licensesIn(staged) });
}

/** The files of `dist` that import bundled packages, each with the specifiers it has. */
function importers(dist: string, ending: string, bundled: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith(ending)) continue;
    const path = join(entry.parentPath, entry.name);
    if (path.startsWith(join(dist, 'vendor'))) continue;
    const own = specifiersIn(readFileSync(path, 'utf8')).filter(
      (specifier) => !isRelative(specifier) && bundled.includes(packageOf(specifier)),
    );
    if (own.length > 0) found.set(path, own);
  }
  return found;
}

function pointAt(files: ReadonlyMap<string, string[]>, target: (specifier: string) => string): void {
  for (const [path, specifiers] of files) {
    const text = withSpecifiers(readFileSync(path, 'utf8'), (specifier) =>
      specifiers.includes(specifier) ? relativeSpecifier(path, target(specifier)) : undefined,
    );
    writeFileSync(path, text);
  }
}

/** Of a module in Node's older form a bundle exports nothing by name: better not packed than not loaded. */
function requireNames(path: string, exported: ReadonlyMap<string, readonly string[]>): void {
  const statements = /^(?:import|export)\s*(?:[\w$]+\s*,\s*)?\{([^}]*)\}\s*from\s*['"]([^'"]+)['"]/gm;
  for (const [, list = '', specifier = ''] of readFileSync(path, 'utf8').matchAll(statements)) {
    const has = exported.get(specifier);
    const names = list.split(',').map((each) => each.trim().split(/\s+as\s+/)[0] ?? '');
    const missing = names.filter((name) => name !== '' && has && !has.includes(name));
    if (missing.length > 0)
      throw new Error(`${specifier} cannot be bundled: its bundle does not export ${missing.join(', ')}`);
  }
}

/** A module that Node reads in its older form, where the bundle has the same code already. */
const sameCode = { 'tldts/dist/cjs/src/data/trie.js': 'tldts/dist/es6/src/data/trie.js' };

/** Answers the files that went into the bundle, and the names that each entry exports. */
async function bundle(options: {
  specifiers: readonly string[];
  home: string;
  into: string;
  carried: ReadonlyMap<string, string>;
}): Promise<{ modules: string[]; exported: Map<string, string[]> }> {
  const { specifiers, home, into, carried } = options;
  const entries = specifiers.filter((specifier) => !carried.has(specifier));
  const made = await rolldown({
    input: Object.fromEntries(entries.map((specifier) => [vendorName(specifier), specifier])),
    cwd: home,
    platform: 'node',
    resolve: { mainFields: ['module', 'main'], alias: { ...sameCode } },
    external: (specifier) => carried.has(specifier),
  });
  const { output } = await made.write({
    dir: into,
    format: 'esm',
    minify: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'shared-[name].js',
    paths: Object.fromEntries(carried),
  });
  await made.close();
  const chunks = output.filter((each) => each.type === 'chunk');
  const named = new Map(chunks.map(({ name, exports }) => [name, exports]));
  return {
    modules: chunks.flatMap((chunk) => Object.keys(chunk.modules)),
    exported: new Map(entries.map((specifier) => [specifier, named.get(vendorName(specifier)) ?? []])),
  };
}
