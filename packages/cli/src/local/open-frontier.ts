import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Frontier, openSqliteFrontier, type Results } from '@webfarer/coordinator';
import type { RedisFrontier } from '@webfarer/coordinator/redis';
import type { Clock } from '@webfarer/protocol';
import { databaseName, type Manifest } from './manifest.ts';
import { segmentFolders } from './segment-folders.ts';
import { withPassword } from './store-password.ts';

/** `kept`: what of the results of a crawl in a store was written to files. */
export type FolderFrontier = Frontier & { results: Results } & Partial<Pick<RedisFrontier, 'kept'>>;

/** A folder and what its crawl.json says of where its crawl is kept. */
export interface FolderPlace {
  folder: string;
  manifest: Pick<Manifest, 'store'>;
}

/** Whether the crawl of a folder can be looked into. */
export function hasFrontier({ folder, manifest }: FolderPlace): boolean {
  return manifest.store !== undefined || existsSync(join(folder, databaseName));
}

/** Opens the crawl of a folder to look into it. `snapshot`: as it stands now, where the store can do so. */
export async function readFrontier(
  { folder, manifest }: FolderPlace,
  { clock, snapshot = false, segments }: { clock: Clock; snapshot?: boolean; segments?: readonly string[] },
): Promise<FolderFrontier> {
  if (!manifest.store)
    return openSqliteFrontier({ path: join(folder, databaseName), clock, readOnly: true, snapshot });
  const { readStore } = await import('@webfarer/coordinator/redis');
  const { url } = await withPassword(manifest.store, folder);
  return await readStore(url, clock, segmentFolders(folder, segments));
}

/** Opens the crawl of a folder to change it. */
export async function changeFrontier(
  { folder, manifest }: FolderPlace,
  clock: Clock,
  others: readonly string[] = [],
): Promise<FolderFrontier> {
  if (!manifest.store) return openSqliteFrontier({ path: join(folder, databaseName), clock });
  const { joinStore } = await import('@webfarer/coordinator/redis');
  const segments = segmentFolders(folder, others);
  return (await joinStore(await withPassword(manifest.store, folder), clock, { segments })).frontier;
}
