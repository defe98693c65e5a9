import { isBuiltin } from 'node:module';
import { isRelative, packageOf } from './imports.ts';
import type { Finding, Manifest, Project, Rule, Source } from './project.ts';

/** Development tools that are run, or read by the compiler, and never imported. */
const tools = /^(@types\/.+|@biomejs\/biome|oxlint|oxlint-tsgolint|typescript|knip|@changesets\/cli)$/;

/** What is imported is declared where it is used, and what is declared is used. */
export const dependencies: Rule = {
  name: 'dependencies',
  reads: ['ts', 'tsx', 'manifest'],
  find(project) {
    return [...project.sources.flatMap((source) => undeclared(source, project)), ...unused(project)];
  },
};

function undeclared(source: Source, project: Project): Finding[] {
  const root = project.manifests.find(({ folder }) => folder === '');
  const own = source.inPackages ? manifestOf(source, project) : root;
  const known = new Set([
    ...(own?.dependencies ?? []),
    // What runs in a browser is bundled when it is built: nobody installs its dependencies.
    ...(isBundled(source) ? (own?.devDependencies ?? []) : []),
    ...(source.isTest ? (root?.devDependencies ?? []) : []),
  ]);
  if (!source.inPackages) for (const { name } of project.manifests) known.add(name);
  return source.imports.flatMap(({ specifier, line }): Finding[] => {
    if (isRelative(specifier) || specifier.startsWith('node:')) return [];
    const name = packageOf(specifier);
    if (known.has(name) || name === own?.name) return [];
    const message = isBuiltin(specifier)
      ? `write node:${specifier}`
      : `${name} is not declared in ${own?.folder ? `${own.folder}/` : ''}package.json`;
    return [{ path: source.path, line, message }];
  });
}

const isBundled = ({ path }: Source): boolean => /^packages\/[^/]+\/browser\//.test(path);

function unused(project: Project): Finding[] {
  return project.manifests.flatMap((manifest) => {
    const isRoot = manifest.folder === '';
    const readers = project.sources.filter((source) =>
      isRoot ? source.isTest : !source.isTest && source.path.startsWith(`${manifest.folder}/`),
    );
    const used = new Set(
      readers.flatMap(({ imports }) => imports.map(({ specifier }) => packageOf(specifier))),
    );
    const declared = isRoot ? manifest.devDependencies : manifest.dependencies;
    return declared
      .filter((name) => !used.has(name) && !(isRoot && tools.test(name)))
      .map((name) => ({
        path: isRoot ? 'package.json' : `${manifest.folder}/package.json`,
        line: 1,
        message: `${name} is declared and never imported`,
      }));
  });
}

function manifestOf(source: Source, project: Project): Manifest | undefined {
  return project.manifests.find(({ folder }) => folder === `packages/${source.home}`);
}
