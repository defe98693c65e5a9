import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Frontier, openSqliteFrontier, type Results } from '@webfarer/coordinator';
import type { Clock } from '@webfarer/protocol';
import { databaseName, type Manifest } from './manifest.ts';
import { withPassword } from './store-password.ts';

export type FolderFrontier = Frontier & { results: Results };

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
  { clock, snapshot = false }: { clock: Clock; snapshot?: boolean },
): Promise<FolderFrontier> {
  if (!manifest.store)
    return openSqliteFrontier({ path: join(folder, databaseName), clock, readOnly: true, snapshot });
  const { readStore } = await import('@webfarer/coordinator/redis');
  return await readStore((await withPassword(manifest.store, folder)).url, clock);
}

/** Opens the crawl of a folder to change it. */
export async function changeFrontier(
  { folder, manifest }: FolderPlace,
  clock: Clock,
): Promise<FolderFrontier> {
  if (!manifest.store) return openSqliteFrontier({ path: join(folder, databaseName), clock });
  const { joinStore } = await import('@webfarer/coordinator/redis');
  return (await joinStore(await withPassword(manifest.store, folder), clock)).frontier;
}
