import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CarriedPackage } from './licenses.ts';
import type { Tarball } from './pack.ts';
import { published, readManifest, root } from './workspace.ts';

/** What package-lock.json says of a package. */
interface Locked {
  version?: string;
  license?: string;
  integrity?: string;
  dependencies?: Record<string, string>;
}

interface Component {
  type: 'library' | 'application';
  'bom-ref': string;
  name: string;
  version: string;
  purl: string;
  licenses?: { expression: string }[];
  hashes?: { alg: string; content: string }[];
  /** What is inside another component's tarball. */
  components?: Component[];
}

/**
 * What a release consists of, as CycloneDX: our tarballs, what each carries inside, and everything that npm installs with
 * them in the versions of the lock. The same release gives the same bytes.
 */
export function sbomOf(tarballs: readonly Tarball[]): object {
  const ours = new Set(tarballs.map(({ name }) => name));
  const locked = lockedPackages();
  const [main] = tarballs.filter(({ name }) => name === 'webfarer');
  if (main === undefined) throw new Error('no tarball of webfarer');
  const components = [
    ...tarballs.filter((each) => each !== main).map(ourComponent),
    ...installedWith(ours, locked).map(([name, about]) => npmComponent(name, about)),
  ];
  const content = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...ourComponent(main), type: 'application' as const } },
    components,
  };
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const id = [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([from, to]) => digest.slice(from, to))
    .join('-');
  return { ...content, serialNumber: `urn:uuid:${id}` };
}

function lockedPackages(): Record<string, Locked> {
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8');
  return (JSON.parse(text) as { packages: Record<string, Locked> }).packages;
}

/** The packages of others that npm installs with ours, each once, sorted. */
function installedWith(ours: ReadonlySet<string>, locked: Record<string, Locked>): [string, Locked][] {
  const found = new Map<string, [string, Locked]>();
  const open: [from: string, names: string[]][] = published.map((home) => {
    const { dependencies = {}, bundled = [] } = readManifest(home);
    return [`packages/${home}`, Object.keys(dependencies).filter((name) => !bundled.includes(name))];
  });
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [from, names] = next;
    for (const name of names.filter((each) => !ours.has(each))) {
      const place = placeOf(name, from, locked);
      if (found.has(place)) continue;
      const about = locked[place] as Locked;
      found.set(place, [name, about]);
      open.push([place, Object.keys(about.dependencies ?? {})]);
    }
  }
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

/** Where Node would find a package from another one: beside it, or further up. */
function placeOf(name: string, from: string, locked: Record<string, Locked>): string {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
    const place = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (place in locked) return place;
    if (at === '') throw new Error(`${name} is not in package-lock.json`);
  }
}

const purlOf = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;

function ourComponent({ name, version, integrity, carried }: Tarball): Component {
  const inside = [
    ...carried.map((each) => ({
      ...carriedComponent(each),
      'bom-ref': `${name}/${purlOf(each.name, each.version)}`,
    })),
    ...(name === '@webfarer/worker' ? crates() : []),
  ];
  return {
    ...npmComponent(name, { version, license: 'Apache-2.0', integrity }),
    ...(inside.length > 0 ? { components: inside } : {}),
  };
}

function npmComponent(name: string, { version = '', license, integrity }: Locked): Component {
  const purl = purlOf(name, version);
  const hash = integrity?.replace('sha512-', '');
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
    ...(hash === undefined
      ? {}
      : { hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }] }),
  };
}

const carriedComponent = ({ name, version, license }: CarriedPackage): Component =>
  npmComponent(name, { version, license });

/** What the charset detector is compiled from: the script that does it says so. */
function crates(): Component[] {
  const script = readFileSync(join(root, 'scripts/chardetng/build'), 'utf8');
  return [...script.matchAll(/^crate (\S+) (\S+) ([0-9a-f]{64})$/gm)].map(
    ([, name = '', version = '', content = '']) => {
      const purl = `pkg:cargo/${name}@${version}`;
      return { type: 'library', 'bom-ref': purl, name, version, purl, hashes: [{ alg: 'SHA-256', content }] };
    },
  );
}
