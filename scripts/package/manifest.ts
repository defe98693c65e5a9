import type { Manifest } from './workspace.ts';

/** Fields that only matter in the workspace. */
const left = new Set([
  'private',
  'scripts',
  'devDependencies',
  'bundled',
  'exports',
  'bin',
  'files',
  'types',
  'main',
]);

/** Fields that all packages have in common; the root's package.json is where they are written. */
const common = ['author', 'homepage', 'bugs', 'repository', 'publishConfig'] as const;

export interface Publishing {
  manifest: Manifest;
  /** Its folder from the project's root. */
  directory: string;
  /** The package.json of the project. */
  root: Record<string, unknown>;
  versions: ReadonlyMap<string, string>;
}

/**
 * The package.json people get: sources are replaced by what was built from them, bundled packages are gone, others
 * are asked for in their newest patch, and our own in exactly this version, because they are released together.
 */
export function publishedManifest({ manifest, directory, root, versions }: Publishing): Manifest {
  const kept = Object.fromEntries(Object.entries(manifest).filter(([field]) => !left.has(field)));
  const { name, version, dependencies = {}, bundled = [], bin } = manifest;
  const asked = Object.entries(dependencies).filter(([each]) => !bundled.includes(each));
  return {
    ...kept,
    name,
    version,
    ...commonFields(root, directory),
    exports: exportsOf(manifest) as Record<string, string>,
    ...(bin ? { bin: mapValues(bin, (path) => built(path, '.js').replace('./', '')) } : {}),
    sideEffects: bin ? Object.values(bin).map((path) => built(path, '.js')) : false,
    files: filesOf(manifest),
    ...(asked.length > 0
      ? {
          dependencies: Object.fromEntries(
            asked.map(([each, range]) => [each, patches(each, range, versions)]),
          ),
        }
      : {}),
  };
}

function commonFields(root: Record<string, unknown>, directory: string): Record<string, unknown> {
  const fields = Object.fromEntries(common.map((field) => [field, root[field]]));
  for (const field of common)
    if (fields[field] === undefined) throw new Error(`package.json of the project lacks ${field}`);
  return { ...fields, repository: { ...(fields['repository'] as object), directory } };
}

function exportsOf({ exports = {}, bundled = [] }: Manifest): Record<string, unknown> {
  return {
    ...mapValues(exports, (path) =>
      isSource(path) ? { types: built(path, '.d.ts'), default: built(path, '.js') } : path,
    ),
    ...(bundled.length > 0 ? { './vendor/*': './dist/vendor/*.js' } : {}),
    './package.json': './package.json',
  };
}

function filesOf(manifest: Manifest): string[] {
  const licenses = manifest.bundled === undefined ? [] : ['THIRD-PARTY-LICENSES.txt'];
  return [
    'dist',
    'README.md',
    'LICENSE',
    'NOTICE',
    ...licenses,
    ...assets(manifest),
    ...(manifest.files ?? []),
  ];
}

/** Exported files that are neither code nor built: a schema, say. */
function assets({ exports = {} }: Manifest): string[] {
  return Object.values(exports)
    .filter((path) => !isSource(path))
    .map((path) => path.replace('./', ''));
}

const isSource = (path: string): boolean => /^\.\/src\/.+\.ts$/.test(path);
const built = (path: string, ending: string): string =>
  path.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, ending);

function patches(name: string, range: string, versions: ReadonlyMap<string, string>): string {
  const ours = versions.get(name);
  if (ours !== undefined) return ours;
  if (!/^\d+\.\d+\.\d+$/.test(range)) throw new Error(`${name}: ${range} is not an exact version`);
  return `~${range}`;
}

function mapValues<Value, Mapped>(
  record: Record<string, Value>,
  map: (value: Value) => Mapped,
): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
