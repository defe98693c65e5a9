import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface InstalledSize {
  packages: number;
  bytes: number;
}

/** What an installation may have at most. */
export const sizeLimits: InstalledSize = { packages: 32, bytes: 21_000_000 };

/** What npm put into a folder: the packages, ours among them, and the bytes of all files. */
export function installedSize(folder: string): InstalledSize {
  const lock = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as {
    packages: Record<string, unknown>;
  };
  const files = readdirSync(join(folder, 'node_modules'), { recursive: true, withFileTypes: true });
  return {
    packages: Object.keys(lock.packages).length,
    bytes: files
      .filter((entry) => entry.isFile())
      .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0),
  };
}

export function sizeFailures({ packages, bytes }: InstalledSize, limits = sizeLimits): string[] {
  const failures: string[] = [];
  if (packages > limits.packages)
    failures.push(`${packages} packages are installed, not at most ${limits.packages}`);
  if (bytes > limits.bytes) failures.push(`${bytes} bytes are installed, not at most ${limits.bytes}`);
  return failures;
}

/** What must be in the installed command besides its code: people read it without a network. */
const texts = [
  'README.md',
  'LICENSE',
  'NOTICE',
  'job.schema.json',
  'docs/library.md',
  'docs/job-file.md',
  'docs/recipes/README.md',
];

export const missingTexts = (folder: string): string[] =>
  texts
    .filter((path) => !existsSync(join(folder, 'node_modules/webfarer', path)))
    .map((path) => `${path} is missing from the package`);
