import { isBuiltin } from 'node:module';
import { isRelative, packageOf, resolveFrom } from './imports.ts';
import type { Finding, Project, Rule, Source } from './project.ts';

/** Packages that a browser loads too, with the entries that only Node can load. */
const shared = new Map([['@webfarer/protocol', ['./node']]]);
/** Dependencies that run in a browser; the test that runs the bundled entries without Node shows it. */
const fit = new Set(['css-what', 're2js', 'tldts', 'yaml', 'zod']);
const nodeGlobals = new Set([
  'Buffer',
  'NodeJS',
  '__dirname',
  '__filename',
  'clearImmediate',
  'require',
  'setImmediate',
]);

/** Follows the imports of each shared entry and reports the modules and globals of Node that it reaches. */
export const browserSafe: Rule = {
  name: 'entries for browsers',
  reads: ['ts', 'tsx', 'manifest'],
  find(project) {
    const told = new Map<string, Finding>();
    for (const { name, exports } of project.manifests) {
      for (const [entry, file] of exports) {
        if (shared.get(name)?.includes(entry) !== false) continue;
        for (const source of reachedFrom(file, project))
          for (const { line, what } of unfit(source)) {
            const message = `${what}: ${name}${entry.slice(1)} must run in a browser`;
            const key = `${source.path}:${line} ${what}`;
            if (!told.has(key)) told.set(key, { path: source.path, line, message });
          }
      }
    }
    return [...told.values()];
  },
};

/** The file and all it imports within the project. Types count: a type of Node is missing in a browser's project. */
function reachedFrom(file: string, project: Project): Source[] {
  const byPath = new Map(project.sources.map((source) => [source.path, source]));
  const reached = new Map<string, Source>();
  const next = [file];
  for (let path = next.pop(); path !== undefined; path = next.pop()) {
    const source = byPath.get(path);
    if (source === undefined || reached.has(path)) continue;
    reached.set(path, source);
    for (const { specifier } of source.imports)
      if (isRelative(specifier)) next.push(resolveFrom(path, specifier));
  }
  return [...reached.values()];
}

function unfit({ imports, tokens }: Source): { line: number; what: string }[] {
  const modules = imports.flatMap(({ specifier, line }) => {
    if (isRelative(specifier) || fit.has(packageOf(specifier))) return [];
    return [{ line, what: isBuiltin(specifier) ? specifier : `${specifier}: not known to run in a browser` }];
  });
  const globals = tokens.flatMap((token, at) => {
    if (token.kind !== 'word' || tokens[at - 1]?.text === '.') return [];
    const isUsed = nodeGlobals.has(token.text) || (token.text === 'process' && tokens[at + 1]?.text === '.');
    return isUsed ? [{ line: token.line, what: token.text }] : [];
  });
  return [...modules, ...globals];
}
