import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatedClock, LeaseRef, WorkerId } from '@webfarer/protocol';
import type { Frontier, SoleOwner } from '../frontier/frontier.ts';
import type { CountHistory } from '../history/count-history.ts';
import type { HostHistory } from '../history/host-history.ts';
import type { Results } from '../results/results.ts';
import type { RedisFrontier } from '../frontier/redis/redis-frontier.ts';
import { openSqliteFrontier } from '../frontier/sqlite/sqlite-frontier.ts';
import { databaseName, type Manifest } from './manifest.ts';
import { segmentFolders } from './segment-folders.ts';
import { type GivenStore, withPassword } from './store-password.ts';

/**
 * Only in a store: `kept`, what of the results of a crawl was written to files, `registry`, what operators wrote, and `folders`,
 * what processes keep beside it.
 */
export type FolderFrontier = Frontier & {
  results: Results;
  history: CountHistory;
  hostHistory: HostHistory;
  owner: SoleOwner | undefined;
} & Partial<Pick<RedisFrontier, 'kept' | 'registry' | 'folders'>>;

/** A folder and what its crawl.json says of where its crawl is kept. */
export interface FolderPlace {
  folder: string;
  manifest: Pick<Manifest, 'store'>;
}

export interface ReadFrontierOptions {
  clock: DatedClock;
  /** As it stands now, where the store can do so. */
  snapshot?: boolean;
  /** More folders with results that left a store. */
  segments?: readonly string[] | undefined;
  given?: GivenStore | undefined;
}

/** Whether the crawl of a folder can be looked into. */
export function hasFrontier({ folder, manifest }: FolderPlace): boolean {
  return manifest.store !== undefined || existsSync(join(folder, databaseName));
}

/** Who holds leases of a frontier. `died`: called when the process of a worker is known to be dead. */
export function placeOf(frontier: FolderFrontier, died: () => void) {
  return {
    async releaseLeases(worker: WorkerId) {
      died();
      return await frontier.releaseAll(worker);
    },
    grantedTo: async (worker: WorkerId): Promise<LeaseRef[]> =>
      (await frontier.owner?.grantedTo(worker)) ?? [],
  };
}

/** Opens the crawl of a folder to look into it. */
export async function readFrontier(
  { folder, manifest }: FolderPlace,
  { clock, snapshot = false, segments, given }: ReadFrontierOptions,
): Promise<FolderFrontier> {
  if (!manifest.store)
    return openSqliteFrontier({ path: join(folder, databaseName), clock, readOnly: true, snapshot });
  const { readStore } = await import('../store/join-store.ts');
  const { url } = await withPassword(manifest.store, folder, given);
  return await readStore(url, clock, segmentFolders(folder, segments));
}

/** Opens the crawl of a folder to change it. */
export async function changeFrontier(
  { folder, manifest }: FolderPlace,
  { clock, segments, given }: Omit<ReadFrontierOptions, 'snapshot'>,
): Promise<FolderFrontier> {
  if (!manifest.store) return openSqliteFrontier({ path: join(folder, databaseName), clock });
  const { joinStore } = await import('../store/join-store.ts');
  const store = await withPassword(manifest.store, folder, given);
  return (await joinStore(store, clock, { segments: segmentFolders(folder, segments) })).frontier;
}
