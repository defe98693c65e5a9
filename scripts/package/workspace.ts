import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

/** The packages people install, dependencies first. The console joins them once it has something to show. */
export const published = ['protocol', 'coordinator', 'worker', 'graph', 'cli'] as const;

/** What we read of a package.json; the rest passes through. */
export interface Manifest {
  name: string;
  version: string;
  exports?: Record<string, string>;
  bin?: Record<string, string>;
  files?: string[];
  dependencies?: Record<string, string>;
  [field: string]: unknown;
}

export const folderOf = (home: string): string => join(root, 'packages', home);

export function readManifest(home: string): Manifest {
  return JSON.parse(readFileSync(join(folderOf(home), 'package.json'), 'utf8')) as Manifest;
}
