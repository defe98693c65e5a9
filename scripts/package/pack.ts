import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publishedManifest } from './manifest.ts';
import { folderOf, published, readManifest, root } from './workspace.ts';

export interface Tarball {
  name: string;
  version: string;
  /** Absolute. */
  path: string;
  bytes: number;
  /** As npm writes it into lock files: `sha512-…`. */
  integrity: string;
}

/** Stages each built package under `build/packages` and packs it into `build/tarballs`. */
export function packAll(): Tarball[] {
  const manifests = published.map((home) => ({ home, manifest: readManifest(home) }));
  const versions = new Map(manifests.map(({ manifest }) => [manifest.name, manifest.version]));
  if (new Set(versions.values()).size > 1) throw new Error('the packages do not have one version');
  const tarballs = join(root, 'build/tarballs');
  rmSync(tarballs, { recursive: true, force: true });
  mkdirSync(tarballs, { recursive: true });
  return manifests.map(({ home, manifest }) => {
    const staged = join(root, 'build/packages', home);
    stage(home, staged);
    const text = JSON.stringify(publishedManifest(manifest, versions), null, 2);
    writeFileSync(join(staged, 'package.json'), `${text}\n`);
    return pack(staged, tarballs);
  });
}

function stage(home: string, staged: string): void {
  rmSync(staged, { recursive: true, force: true });
  cpSync(join(folderOf(home), 'dist'), join(staged, 'dist'), {
    recursive: true,
    filter: (path) => !path.endsWith('.tsbuildinfo'),
  });
  pointTypesAtCode(join(staged, 'dist'));
  const readme = home === 'cli' ? join(root, 'README.md') : join(folderOf(home), 'README.md');
  const schema = join(folderOf(home), 'job.schema.json');
  if (existsSync(readme)) cpSync(readme, join(staged, 'README.md'));
  if (existsSync(schema)) cpSync(schema, join(staged, 'job.schema.json'));
  if (home === 'cli') copyGuides(join(staged, 'docs'));
  cpSync(join(root, 'LICENSE'), join(staged, 'LICENSE'));
}

/** What `webfarer docs` shows. Decisions and pictures stay in the repository. */
function copyGuides(to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(join(root, 'docs')))
    if (name.endsWith('.md')) cpSync(join(root, 'docs', name), join(to, name));
}

/** The compiler leaves `.ts` in the imports of declarations; the files they mean are not shipped. */
function pointTypesAtCode(dist: string): void {
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith('.d.ts')) continue;
    const path = join(entry.parentPath, entry.name);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace(/(from |import\()(['"])(\.\.?\/[^'"]+)\.ts\2/g, '$1$2$3.js$2'));
  }
}

function pack(staged: string, into: string): Tarball {
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
