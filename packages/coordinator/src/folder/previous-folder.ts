import { dirname, join, relative, resolve, sep } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import { safeName } from '@webfarer/protocol/crawl';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { RedisFrontier } from '../frontier/redis/redis-frontier.ts';
import { readLookup } from './stored-lookup.ts';
import {
  keepsSame,
  makesSameItems,
  type PreviousCrawl,
  previousCrawl,
  type PreviousFacts,
} from './previous-crawl.ts';
import { hasFrontier, readFrontier, type ReadFrontierOptions } from './open-frontier.ts';
import { type Manifest, readManifest } from './manifest.ts';

/** The crawl before, to be looked into while the recrawl runs. */
export interface PreviousFolder {
  crawl: PreviousCrawl;
  /** Results of it that could not be read: their pages are fetched as if there had been none, and not compared. */
  absent: number;
  close(): Promise<void>;
}

/** How a recrawl's crawl.json names the crawl before it: relative, so that both may be moved together. */
export async function previousOf(folder: string, previous: string): Promise<Manifest['previous'] & object> {
  const manifest = await readManifest(resolve(previous));
  if (!manifest) throw new WebfarerError('not-found', `${previous} is not a crawl folder`);
  return { folder: portable(folder, resolve(previous)), id: manifest.id };
}

/** A relative path that every system reads. */
const portable = (from: string, to: string): string => relative(from, to).split(sep).join('/');

/** Where the crawl before this one is; undefined when there was none or its folder is gone. */
export async function previousPath(
  folder: string,
  { previous }: Pick<Manifest, 'previous'>,
): Promise<string | undefined> {
  const path = previous && resolve(folder, previous.folder);
  const manifest = path && (await readManifest(path));
  return path && manifest && hasFrontier({ folder: path, manifest }) ? path : undefined;
}

/** Opens it as it stands now, to be looked into while the recrawl runs. */
export async function openPrevious(
  folder: string,
  manifest: Manifest,
  { job, ...options }: Pick<ReadFrontierOptions, 'clock' | 'given'> & Pick<PreviousFacts, 'job'>,
): Promise<PreviousFolder | undefined> {
  const path = await previousPath(folder, manifest);
  const before = path && (await readManifest(path));
  if (!path || !before || !manifest.previous) return undefined;
  const frontier = await readFrontier({ folder: path, manifest: before }, { ...options, snapshot: true });
  const facts = { isWhole: true, job, ...compared(before.job, manifest.job) };
  const crawl = previousCrawl(frontier, manifest.previous.id, facts);
  return { crawl, absent: 0, close: () => frontier.close() };
}

function compared(before: unknown, now: unknown) {
  return { hasSameItems: makesSameItems(before, now), keepsSame: keepsSame(before, now) };
}

/** Where the recrawl of a crawl in a store is: in a folder beside its own, on those machines that took part in both. */
export function storedPreviousOf(folder: string, { id }: StoredPrevious): Manifest['previous'] & object {
  return { folder: portable(folder, join(dirname(folder), safeName(id))), id };
}

type StoredPrevious = NonNullable<CatalogEntry['previous']>;

/** Reads a crawl of the same store as it stands now; undefined where it was deleted. `written`: this crawl's job, as written. */
export async function openStoredPrevious(
  { catalog, results }: Pick<RedisFrontier, 'catalog' | 'results'>,
  { id, nonce }: StoredPrevious,
  { job, written }: Pick<PreviousFacts, 'job'> & { written: unknown },
): Promise<PreviousFolder | undefined> {
  const entry = await catalog.get(id);
  if (entry?.nonce !== nonce) return undefined;
  const lookup = await readLookup(results, id).catch((error: unknown) => {
    // Created, and never begun.
    if (error instanceof WebfarerError && error.code === 'not-found') return undefined;
    throw error;
  });
  if (!lookup) return undefined;
  const { absent } = lookup;
  const facts = { isWhole: absent === 0, job, ...compared(entry.job, written) };
  return { crawl: previousCrawl(lookup, id, facts), absent, close: () => lookup.close() };
}
