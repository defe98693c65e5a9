import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { DrainOptions } from '../frontier/redis/draining/drainer.ts';

const segmentsName = 'segments';

/** Who writes results of a crawl in a store to files, and where: the folder of each process that takes part. */
export function drainInto(folder: string, owner: string): DrainOptions {
  return { owner, folder: resolve(folder, segmentsName), machine: hostname() };
}

/** Where such files are looked for: in this folder, and in others that are named, as they are or in a crawl folder. */
export function segmentFolders(folder: string, others: readonly string[] = []): string[] {
  return [
    join(resolve(folder), segmentsName),
    ...others.flatMap((other) => [join(resolve(other), segmentsName), resolve(other)]),
  ];
}
