import type { Manifest } from './workspace.ts';

/** Fields that only matter in the workspace. */
const left = new Set(['private', 'scripts', 'devDependencies', 'exports', 'bin', 'files', 'types', 'main']);

/**
 * The package.json people get: sources are replaced by what was built from them, and our own packages
 * are asked for in exactly this version, because they are released together.
 */
export function publishedManifest(manifest: Manifest, versions: ReadonlyMap<string, string>): Manifest {
  const kept = Object.fromEntries(Object.entries(manifest).filter(([field]) => !left.has(field)));
  const { name, version, dependencies = {}, bin } = manifest;
  return {
    ...kept,
    name,
    version,
    exports: exportsOf(manifest) as Record<string, string>,
    ...(bin ? { bin: mapValues(bin, (path) => built(path, '.js').replace('./', '')) } : {}),
    files: ['dist', 'README.md', 'LICENSE', ...assets(manifest), ...(manifest.files ?? [])],
    ...(Object.keys(dependencies).length > 0
      ? { dependencies: mapEntries(dependencies, (each, range) => exact(each, range, versions)) }
      : {}),
  };
}

function exportsOf({ exports = {} }: Manifest): Record<string, unknown> {
  return mapValues(exports, (path) =>
    isSource(path) ? { types: built(path, '.d.ts'), default: built(path, '.js') } : path,
  );
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

function exact(name: string, range: string, versions: ReadonlyMap<string, string>): string {
  const ours = versions.get(name);
  if (ours !== undefined) return ours;
  if (!/^\d+\.\d+\.\d+/.test(range)) throw new Error(`${name}: ${range} is not an exact version`);
  return range;
}

function mapEntries<Value, Mapped>(
  record: Record<string, Value>,
  map: (key: string, value: Value) => Mapped,
): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(key, value)]));
}

const mapValues = <Value, Mapped>(record: Record<string, Value>, map: (value: Value) => Mapped) =>
  mapEntries(record, (_, value) => map(value));
