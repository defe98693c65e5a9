import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtConsole } from '../console/build-console.ts';
import { type CarriedPackage, licensesIn, writeLicenses } from './licenses.ts';
import { joinModules } from './join-modules.ts';
import { publishedManifest } from './manifest.ts';
import { reachableTypes } from './vendor-types.ts';
import { vendor, vendorName } from './vendor.ts';
import { folderOf, type Manifest, published, readManifest, readRootManifest, root } from './workspace.ts';

export interface Tarball {
  name: string;
  version: string;
  /** Absolute. */
  path: string;
  bytes: number;
  /** As npm writes it into lock files: `sha512-…`. */
  integrity: string;
  /** Packages of others that are part of it. */
  carried: CarriedPackage[];
}

/** Stages each built package under `build/packages` and packs it into `build/tarballs`. */
export async function packAll(): Promise<Tarball[]> {
  const manifests = published.map((home) => ({ home, manifest: readManifest(home) }));
  const versions = new Map(manifests.map(({ manifest }) => [manifest.name, manifest.version]));
  if (new Set(versions.values()).size > 1) throw new Error('the packages do not have one version');
  const tarballs = join(root, 'build/tarballs');
  rmSync(tarballs, { recursive: true, force: true });
  mkdirSync(tarballs, { recursive: true });
  const packed: Tarball[] = [];
  for (const { home, manifest } of manifests) {
    const staged = join(root, 'build/packages', home);
    stage(home, staged);
    const directory = `packages/${home}`;
    const shown = publishedManifest({ manifest, directory, root: readRootManifest(), versions });
    writeFileSync(join(staged, 'package.json'), `${JSON.stringify(shown, null, 2)}\n`);
    dropUnreachableTypes(staged, shown);
    const below = carriedBelow(
      manifest,
      manifests.map((each) => each.manifest),
    );
    const carried =
      home === 'console'
        ? writeLicenses((await builtConsole()).modules, { in: 'dist/files', to: licensesIn(staged) })
        : await vendor({ staged, home: folderOf(home), bundled: manifest.bundled ?? [], carried: below });
    await joinModules(staged, shown);
    packed.push({ ...pack(staged, tarballs), carried });
  }
  return packed;
}

/** Modules that the packages below this one carry, and how they are imported from there. */
function carriedBelow({ dependencies = {} }: Manifest, all: readonly Manifest[]): Map<string, string> {
  const below = all.filter(({ name }) => name in dependencies);
  return new Map(
    below.flatMap(({ name, bundled = [] }) =>
      bundled.map((each) => [each, `${name}/vendor/${vendorName(each)}`] as const),
    ),
  );
}

/** Declarations that no export leads to only make the package larger. */
function dropUnreachableTypes(staged: string, { exports = {} }: Manifest): void {
  const entries = Object.values(exports as Record<string, string | { types: string }>)
    .filter((entry) => typeof entry === 'object')
    .map(({ types }) => join(staged, types));
  const reached = reachableTypes(entries);
  for (const path of declarations(join(staged, 'dist'))) if (!reached.has(path)) rmSync(path);
}

function stage(home: string, staged: string): void {
  rmSync(staged, { recursive: true, force: true });
  cpSync(join(folderOf(home), 'dist'), join(staged, 'dist'), {
    recursive: true,
    filter: (path) => !path.endsWith('.tsbuildinfo'),
  });
  pointTypesAtCode(join(staged, 'dist'));
  copyTexts(home, staged);
}

/** What people read: the package's page, licenses, and with the command its guides and the schema of job files. */
export function copyTexts(home: string, staged: string): void {
  const readme = home === 'cli' ? join(root, 'README.md') : join(folderOf(home), 'README.md');
  const schema = join(folderOf(home), 'job.schema.json');
  if (existsSync(readme)) cpSync(readme, join(staged, 'README.md'));
  if (existsSync(schema)) cpSync(schema, join(staged, 'job.schema.json'));
  if (home === 'cli') copyGuides(join(staged, 'docs'));
  for (const legal of ['LICENSE', 'NOTICE']) cpSync(join(root, legal), join(staged, legal));
}

/** What `webfarer docs` shows. Decisions and pictures stay in the repository. */
function copyGuides(to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(join(root, 'docs')))
    if (name.endsWith('.md')) cpSync(join(root, 'docs', name), join(to, name));
  cpSync(join(root, 'docs/recipes'), join(to, 'recipes'), { recursive: true });
}

/** The compiler leaves `.ts` in the imports of declarations; the files they mean are not shipped. */
function pointTypesAtCode(dist: string): void {
  for (const path of declarations(dist)) {
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace(/(from |import\()(['"])(\.\.?\/[^'"]+)\.ts\2/g, '$1$2$3.js$2'));
  }
}

function declarations(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.d.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
}

function pack(staged: string, into: string): Omit<Tarball, 'carried'> {
  const done = spawnSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', into], {
    cwd: staged,
    encoding: 'utf8',
  });
  if (done.status !== 0) throw new Error(`npm pack in ${staged}: ${done.stderr}`);
  const [packed] = JSON.parse(done.stdout) as { name: string; version: string; filename: string }[];
  if (packed === undefined) throw new Error(`npm pack in ${staged} says nothing`);
  const path = join(into, packed.filename);
  const content = readFileSync(path);
  const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
  return { name: packed.name, version: packed.version, path, bytes: content.length, integrity };
}
