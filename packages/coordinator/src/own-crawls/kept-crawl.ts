import { WebfarerError } from '@webfarer/protocol';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { changeEntry, damagedEntry } from '../catalog/crawl-entry.ts';
import { type Manifest, readManifest } from '../folder/manifest.ts';

/** A crawl of the catalog on this machine. */
export interface KeptCrawl {
  entry: CatalogEntry;
  /** Its folder. */
  at: string;
  baseFolder?: string;
}

export interface Keeping {
  /** Where its folder may be; the first where it is new here. */
  places: readonly [string, ...string[]];
  catalog: Catalog;
  /** The store that all crawls are kept in; undefined: each is kept in its folder. */
  frontier: unknown;
}

export async function keptOf(
  entry: CatalogEntry,
  { places, catalog, frontier }: Keeping,
): Promise<KeptCrawl> {
  if (entry.damaged) throw damagedEntry(entry.name);
  for (const at of places) {
    const manifest = await readManifest(at).catch(() => undefined);
    if (!manifest || !isOf(manifest, entry)) continue;
    const { baseFolder } = manifest;
    return { entry: await dropForgottenSeeds(catalog, entry, manifest), at, baseFolder };
  }
  const [at] = places;
  if (frontier || entry.unbegun) return { entry, at };
  throw new WebfarerError('not-found', `the folder of the crawl ${entry.name} is missing`, {
    next: `Put it back as ${at}, or delete the crawl.`,
  });
}

/**
 * Seeds leave a crawl only with a host that is forgotten: first its folder, then the catalog. A process may die in between, and
 * each coordinator forgets on its own: the catalog keeps what both have. Answers the entry as it is then.
 */
export async function dropForgottenSeeds(
  catalog: Catalog,
  entry: CatalogEntry,
  manifest: Pick<Manifest, 'id' | 'nonce' | 'seeds' | 'job'>,
): Promise<CatalogEntry> {
  if (!isOf(manifest, entry) || sameText(manifest.seeds, entry.seeds)) return entry;
  const changed = await changeEntry(catalog, entry, ({ seeds, job }) => {
    const left = inBoth(seeds, manifest.seeds);
    if (left.length === 0 || left.length === seeds.length) return undefined;
    return { seeds: left, job: withoutForgotten(job, manifest.job) };
  });
  return changed ?? entry;
}

/** In a store, another crawl of the name may have been deleted while this process was down. */
function isOf({ id, nonce }: Pick<Manifest, 'id' | 'nonce'>, entry: CatalogEntry): boolean {
  return id === entry.id && (nonce ?? entry.nonce) === entry.nonce;
}

/** The job of the entry: its folder's may be older. */
function withoutForgotten(job: unknown, kept: unknown): unknown {
  const [{ seeds }, { seeds: left }] = [job as Seeded, kept as Seeded];
  return Array.isArray(seeds) && Array.isArray(left)
    ? { ...(job as object), seeds: inBoth(seeds, left) }
    : job;
}

interface Seeded {
  seeds?: unknown;
}

function inBoth<T>(all: readonly T[], kept: readonly unknown[]): T[] {
  const texts = new Set(kept.map((one) => JSON.stringify(one)));
  return all.filter((one) => texts.has(JSON.stringify(one)));
}

const sameText = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
