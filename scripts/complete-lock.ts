import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * Run after `npm install`. A registry that mirrors only some platforms makes npm leave the optional
 * packages of all others out of package-lock.json, and then `npm ci` refuses the lock everywhere. This
 * writes them in, as npm itself would: a version, and the platforms they are for; and the digest, where the registry has the
 * package by now.
 */
interface Locked {
  version?: string;
  integrity?: string;
  link?: boolean;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const systems = ['android', 'darwin', 'linux', 'win32', 'freebsd', 'openharmony', 'wasi'];
const processors = ['arm64', 'arm', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x', 'loong64', 'wasm32'];

/** `@a/binding-linux-x64-musl` → linux, x64, musl. Undefined where the name does not say. */
function platformOf(name: string): Pick<Locked, 'os' | 'cpu' | 'libc'> | undefined {
  const parts = name.split(/[/-]/);
  const os = systems.find((each) => parts.includes(each));
  const cpu = processors.find((each) => parts.includes(each));
  if (cpu === 'wasm32') return { cpu: [cpu] };
  if (os === undefined || cpu === undefined) return undefined;
  const libc = parts.some((part) => part.startsWith('musl')) ? 'musl' : 'glibc';
  const named = parts.some((part) => /^(musl|gnu)/.test(part));
  return { cpu: [cpu], os: [os], ...(os === 'linux' && named ? { libc: [libc] } : {}) };
}

/** The lock with every optional platform package in it, and the names of those that were added. */
export function completeLock(packages: Record<string, Locked>): {
  packages: Record<string, Locked>;
  added: string[];
} {
  const added: string[] = [];
  const complete = { ...packages };
  for (const parent of Object.values(packages)) {
    for (const [name, range] of Object.entries(parent.optionalDependencies ?? {})) {
      const path = `node_modules/${name}`;
      const platform = platformOf(name);
      if (path in complete || platform === undefined) continue;
      const version = range.replace(/^[~^]/, '');
      const { cpu, os, libc } = platform;
      // In the order npm writes them, so that the next `npm install` changes nothing.
      complete[path] = {
        version,
        ...(cpu && { cpu }),
        ...(parent.dev && { dev: true }),
        ...(libc && { libc }),
        optional: true,
        ...(os && { os }),
      };
      added.push(name);
    }
  }
  const paths = Object.keys(complete).sort((a, b) => (a < b ? -1 : 1));
  return { packages: Object.fromEntries(paths.map((path) => [path, complete[path] as Locked])), added };
}

/**
 * Packages that `npm ci` would install without comparing their bytes with the lock. Folders of this repository have none.
 * Neither have some of the packages written in above, which the registry they were locked from did not have: each is for a
 * platform that its name and its entry tell, and is installed nowhere else.
 */
export function withoutIntegrity(packages: Readonly<Record<string, Locked>>): {
  unsure: string[];
  otherPlatforms: string[];
} {
  const without = Object.entries(packages).filter(
    ([path, { integrity, link }]) => path.includes('node_modules/') && !link && integrity === undefined,
  );
  const isOfPlatform = ([path, { optional, os, cpu }]: [string, Locked]) =>
    optional === true && (os ?? cpu) !== undefined && platformOf(path) !== undefined;
  return {
    unsure: without.filter((each) => !isOfPlatform(each)).map(([path]) => path),
    otherPlatforms: without.filter(isOfPlatform).map(([path]) => path),
  };
}

/** The digest that the registry has of a version; undefined: it does not have that version. */
export type DigestOf = (name: string, version: string) => Promise<string | undefined>;

/** The lock with the digest of each package that the registry has by now, and how many still have none. */
export async function fillDigests(
  packages: Readonly<Record<string, Locked>>,
  digestOf: DigestOf,
): Promise<{ packages: Record<string, Locked>; filled: string[]; left: number }> {
  const filled: string[] = [];
  let left = 0;
  const complete: Record<string, Locked> = {};
  for (const [path, locked] of Object.entries(packages)) {
    complete[path] = locked;
    const { version, integrity, link, ...rest } = locked;
    if (!path.includes('node_modules/') || link || integrity !== undefined || version === undefined) continue;
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const digest = await digestOf(name, version);
    if (digest === undefined) left++;
    else {
      filled.push(name);
      complete[path] = { version, integrity: digest, ...rest };
    }
  }
  return { packages: complete, filled, left };
}

interface Versions {
  versions?: Record<string, { dist?: { integrity?: string } }>;
}

function registryDigests(): DigestOf {
  const registry = execFileSync('npm', ['config', 'get', 'registry'], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const base = new URL(registry.trim());
  return async (name, version) => {
    const answer = await fetch(new URL(name.replace('/', '%2f'), base), {
      headers: { accept: 'application/vnd.npm.install-v1+json' },
      signal: AbortSignal.timeout(30_000),
    });
    if (answer.status === 404) return undefined;
    if (!answer.ok) throw new Error(`the registry answered ${answer.status} about ${name}`);
    return ((await answer.json()) as Versions).versions?.[version]?.dist?.integrity;
  };
}

if (import.meta.main) {
  const path = resolve(import.meta.dirname, '../package-lock.json');
  const lock = JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, Locked> };
  const { packages: whole, added } = completeLock(lock.packages);
  const { packages, filled, left } = await fillDigests(whole, registryDigests());
  if (added.length + filled.length > 0)
    writeFileSync(path, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
  console.log(added.length > 0 ? `added ${added.join(', ')}` : 'the lock has every package');
  console.log(`${filled.length} digests added; the registry lacks ${left} packages of other platforms`);
}
