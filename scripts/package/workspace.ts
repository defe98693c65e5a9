import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

/** The packages people install, dependencies first. */
export const published = ['protocol', 'coordinator', 'worker', 'graph', 'console', 'cli'] as const;

/** What we read of a package.json; the rest passes through. */
export interface Manifest {
  name: string;
  version: string;
  exports?: Record<string, string>;
  bin?: Record<string, string>;
  files?: string[];
  dependencies?: Record<string, string>;
  /** Dependencies whose code becomes part of the published package. */
  bundled?: string[];
  [field: string]: unknown;
}

export const folderOf = (home: string): string => join(root, 'packages', home);

export const readManifest = (home: string): Manifest =>
  read(join(folderOf(home), 'package.json')) as Manifest;

/** The package.json of the whole project. */
export const readRootManifest = (): Record<string, unknown> =>
  read(join(root, 'package.json')) as Record<string, unknown>;

const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
