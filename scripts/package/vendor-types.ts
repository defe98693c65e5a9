import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { isRelative } from '../check/imports.ts';
import { relativeSpecifier, specifiersIn, withSpecifiers } from './specifiers.ts';

export interface CopiedTypes {
  /** The file that stands for each specifier asked for. */
  entries: Map<string, string>;
  /** What was copied, where it came from. */
  files: string[];
}

/** Copies the declarations of modules and of everything they refer to, and joins the copies with each other. */
export function copyTypes(options: { specifiers: string[]; home: string; into: string }): CopiedTypes {
  const { into } = options;
  const places = new Map<string, string>();
  const entries = new Map<string, string>();
  const copy = (from: string): string => {
    const known = places.get(from);
    if (known !== undefined) return known;
    const to = join(into, placeOf(from));
    places.set(from, to);
    const text = withSpecifiers(readFileSync(from, 'utf8'), (specifier) => {
      const file = declarationOf(specifier, dirname(from));
      return file === undefined ? undefined : codeName(relativeSpecifier(to, copy(file)));
    });
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, text.replace(/^\/\/# sourceMappingURL=.*$/m, ''));
    return to;
  };
  for (const specifier of options.specifiers) {
    const file = declarationOf(specifier, options.home);
    if (file === undefined) throw new Error(`${specifier} has no types`);
    entries.set(specifier, codeName(copy(file)));
  }
  return { entries, files: [...places.keys()] };
}

const codeName = (path: string): string => path.replace(/\.d\.(m?)ts$/, '.$1js');

/** Its path below node_modules, where a package inside another stands beside it. */
function placeOf(file: string): string {
  const [, ...parts] = file.split(`${sep}node_modules${sep}`);
  return parts.join('.in.').replaceAll(sep, '/').replaceAll('.in.', '/inside/');
}

/** The declaration file that a specifier means; nothing for the modules of Node. */
function declarationOf(specifier: string, folder: string): string | undefined {
  if (isRelative(specifier)) {
    const path = resolve(folder, specifier);
    const found = [path.replace(/\.(m?)js$/, '.d.$1ts'), `${path}.d.ts`, join(path, 'index.d.ts')];
    return found.find((each) => each.endsWith('ts') && existsSync(each));
  }
  const [, name = '', sub = ''] = /^((?:@[^/]+\/)?[^/]+)(\/.*)?$/.exec(specifier) ?? [];
  for (let at = folder; ; at = dirname(at)) {
    const home = join(at, 'node_modules', name);
    if (existsSync(join(home, 'package.json'))) return typesOf(home, `.${sub}`);
    if (at === dirname(at)) return undefined;
  }
}

interface Conditions {
  [condition: string]: Conditions | string;
}

function typesOf(home: string, entry: string): string | undefined {
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
    exports?: Conditions;
    types?: string;
  };
  const target = manifest.exports?.[entry] ?? (entry === '.' ? manifest.types : undefined);
  const path = target === undefined ? undefined : typesAmong(target);
  if (path === undefined) return undefined;
  const file = join(home, path.replace(/(?<!\.d)\.(m?)js$/, '.d.$1ts'));
  return existsSync(file) ? file : undefined;
}

function typesAmong(target: Conditions | string): string | undefined {
  if (typeof target === 'string') return target;
  for (const condition of ['import', 'types', 'default']) {
    const inner = target[condition];
    const found = inner === undefined ? undefined : typesAmong(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The declarations of a package that its exports reach; the others are of no use to anyone. */
export function reachableTypes(entries: readonly string[]): Set<string> {
  const seen = new Set<string>();
  const open = [...entries];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const specifier of specifiersIn(readFileSync(file, 'utf8'))) {
      const next = isRelative(specifier) ? declarationOf(specifier, dirname(file)) : undefined;
      if (next !== undefined) open.push(next);
    }
  }
  return seen;
}
