import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * Run after `npm install`. A registry that mirrors only some platforms makes npm leave the optional
 * packages of all others out of package-lock.json, and then `npm ci` refuses the lock everywhere. This
 * writes them in, as npm itself would: a version, and the platforms they are for.
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
 * Neither have the packages written in above, which the registry they were locked from did not have: each is for a platform
 * that its name and its entry tell, and is installed nowhere else.
 */
export function withoutIntegrity(packages: Readonly<Record<string, Locked>>): string[] {
  return Object.entries(packages)
    .filter(
      ([path, { integrity, link }]) => path.includes('node_modules/') && !link && integrity === undefined,
    )
    .filter(([path, { optional, os, cpu }]) => !(optional && (os ?? cpu) && platformOf(path)))
    .map(([path]) => path);
}

if (import.meta.main) {
  const path = resolve(import.meta.dirname, '../package-lock.json');
  const lock = JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, Locked> };
  const { packages, added } = completeLock(lock.packages);
  if (added.length > 0) writeFileSync(path, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
  console.log(added.length > 0 ? `added ${added.join(', ')}` : 'the lock is complete');
}
