import { isRelative, packageOf, resolveFrom } from './imports.ts';
import type { Finding, Manifest, Rule, Source } from './project.ts';

/** Which of our packages each package may import. What is not listed may import none. */
const allowed: Record<string, readonly string[]> = {
  protocol: [],
  coordinator: ['protocol'],
  worker: ['protocol'],
  graph: ['protocol'],
  console: ['protocol'],
  cli: ['protocol', 'coordinator', 'worker', 'graph', 'console'],
};

/** Packages see each other only through their exports, and only in the allowed direction. */
export const borders: Rule = {
  name: 'package borders',
  reads: ['ts', 'tsx', 'manifest'],
  find(project) {
    const byName = new Map(
      project.manifests.filter(({ folder }) => folder !== '').map((manifest) => [manifest.name, manifest]),
    );
    return project.sources.flatMap((source) => findings(source, byName));
  },
};

function findings(source: Source, byName: Map<string, Manifest>): Finding[] {
  if (!source.inPackages) return [];
  return source.imports.flatMap(({ specifier, line }) => {
    const message = isRelative(specifier)
      ? strayPath(source, specifier)
      : strayPackage(source, specifier, byName.get(packageOf(specifier)));
    return message === undefined ? [] : [{ path: source.path, line, message }];
  });
}

function strayPath(source: Source, specifier: string): string | undefined {
  const target = resolveFrom(source.path, specifier);
  if (target.startsWith(`packages/${source.home}/`)) return undefined;
  // Tests of a package may stand on the fake web and other fixtures, never on another package's insides.
  if (source.isTest && target.startsWith('test/')) return undefined;
  return `reaches out of its package: ${specifier}`;
}

function strayPackage(source: Source, specifier: string, target: Manifest | undefined): string | undefined {
  if (target === undefined) return undefined;
  const home = target.folder.replace('packages/', '');
  const within = specifier.slice(target.name.length);
  if (!target.exports.has(`.${within}`)) return `${specifier} is not among the exports of ${target.name}`;
  if (home === source.home) return `imports its own package by name; use a relative path`;
  if (allowed[source.home]?.includes(home)) return undefined;
  return `${source.home} must not import ${home}`;
}
