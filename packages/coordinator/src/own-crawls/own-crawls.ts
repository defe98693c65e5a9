import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type DatedClock, WebfarerError } from '@webfarer/protocol';
import { crawlsName } from '../folder/data-folder.ts';
import { type Manifest, readManifest, writeManifest } from '../folder/manifest.ts';
import { drainInto } from '../folder/segment-folders.ts';
import type { RedisFrontier } from '../frontier/redis/redis-frontier.ts';
import { segmentFolder } from '../frontier/redis/draining/segment-file.ts';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { changeEntry, jobInCatalog } from '../catalog/crawl-entry.ts';
import type { CrawlSpec } from '../crawl/open-crawl.ts';
import { deletedEntries, markDeleted } from '../catalog/deletion.ts';
import { followCatalog } from './catalog-follower.ts';
import type { Duty } from '../maintenance/duty.ts';
import { createCrawlPlaces } from './crawl-places.ts';
import { type CrawlDeleter, createCrawlDeleter, type KnownCrawl } from './crawl-deleter.ts';
import { openSqliteCatalog } from '../catalog/sqlite-catalog.ts';
import type { CrawlHost } from '../crawl/crawl-host.ts';
import { createDeletions, type Deletions } from './delete-with-objects.ts';
import { type KeptCrawl, keptOf } from './kept-crawl.ts';
import { crawlsBelow, eraseFolder, knownIn, leftoversBelow } from './erase-folder.ts';

export interface OwnCrawlsOptions {
  /** The coordinator's data folder. */
  folder: string;
  clock: DatedClock;
  /** The store that all its crawls are kept in; undefined: each is kept in its folder. */
  frontier: RedisFrontier | undefined;
  /** Ends the work on a crawl in this process, if there is any, and closes its files. */
  close: (crawl: KnownCrawl) => Promise<void>;
  /** What a crawl has in object storage. */
  objectsOf: CrawlHost['objectsOf'];
  /** Removes the documents about a deleted crawl that all coordinators share. */
  forget: (crawl: KnownCrawl) => Promise<void>;
  /** Entries of the catalog that were created or changed, here or by another process. */
  changed: (entries: readonly CatalogEntry[]) => void;
  /** What has changed is not known. */
  missed: () => Promise<void>;
  /** A crawl could not be deleted now; it is tried again. */
  stuck: (crawl: KnownCrawl, error: unknown) => void;
  /** Nothing is left here of a crawl that was deleted. */
  gone: (crawl: KnownCrawl) => void;
  failed: (error: unknown) => void;
}

export interface Entering {
  /** Where the crawl is kept. */
  at: string;
  /** What the folder held before was thrown away. */
  fresh: boolean;
  tags: readonly string[];
  /** The job of the folder is the one that the catalog had: it may have been edited since. */
  fromCatalog: boolean;
}

/** The folders of the crawls that a coordinator keeps below its own, and the catalog that lists them. */
export interface OwnCrawls extends Deletions {
  folderOf(name: string): string;
  /** Which crawls there are. */
  catalog(): Catalog;
  /**
   * The folder of a crawl that is in the catalog, or will be: below the coordinator's, or the coordinator's itself. With the entry
   * as that folder has it.
   */
  keptOf(entry: CatalogEntry): Promise<KeptCrawl>;
  /** What a crawl that was entered before it was begun begins with. */
  toBegin(entry: CatalogEntry): Promise<Pick<CrawlSpec, 'identity' | 'previous'>>;
  /** Undefined where no crawl was ever entered. */
  existing(): Catalog | undefined;
  /** Erases what is left here of a crawl of this name that was deleted, or never entered, so that another may begin. */
  clear(name: string): Promise<void>;
  /** Those of these nonces whose crawls were deleted, as far back as the catalog knows. */
  deletedAmong(nonces: readonly string[]): Promise<string[]>;
  /** Enters an open crawl in the catalog, and notes in its folder which of that name it is. */
  enter(manifest: Manifest, how: Entering): Promise<CatalogEntry>;
  /** Crawls whose deletion was tried in vain, and is tried again. */
  stuck(): CatalogEntry[];
  /** Ends deletions that were cut off, and follows the catalog if there is one. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const catalogName = 'catalog.db';
/** The duty of one coordinator at a time. One that dies while it erases is replaced after this time. */
const erasing = 'erase-crawls';
const ERASING_MS = 5_000;
const ASKED_AT_ONCE = 100;

export function createOwnCrawls(options: OwnCrawlsOptions): OwnCrawls {
  const { folder, clock, frontier, close, stuck, gone, failed } = options;
  const below = join(folder, crawlsName);
  let own: Catalog | undefined;

  function catalog(): Catalog {
    return frontier?.catalog ?? (own ??= openSqliteCatalog(join(folder, catalogName)));
  }

  const hasCatalog = () => frontier !== undefined || existsSync(join(folder, catalogName));
  const existing = () => (hasCatalog() ? catalog() : undefined);
  const places = createCrawlPlaces(below);
  const { folderOf } = places;

  /** A crawl that is kept in its folder is deleted by the process that has the folder, and by no other meanwhile. */
  const known = async () => (frontier ? await crawlsBelow(below) : []);

  async function eraseHere(crawl: KnownCrawl): Promise<void> {
    await close(crawl);
    const segments = frontier ? [join(drainInto(folder, '').folder, segmentFolder(crawl.id))] : [];
    const isNameTaken = async () => (await catalog().find(crawl.name)) !== undefined;
    await eraseFolder(crawl, { at: folderOf(crawl.name), below, segments, isNameTaken });
    places.forget(crawl.name);
  }

  let following: { deleter: CrawlDeleter; follower: Duty } | undefined;
  /** From the first crawl on: a folder without any gets no catalog. */
  function follow(): CrawlDeleter {
    if (following) return following.deleter;
    const deleter = createCrawlDeleter({
      catalog: catalog(),
      clock,
      known,
      eraseHere,
      eraseShared: (crawls) => eraseShared(options, crawls),
      stuck,
      gone,
      failed,
    });
    const follower = followCatalog({
      catalog: catalog(),
      clock,
      failed,
      changed(entries) {
        deleter.changed(entries);
        options.changed(entries);
      },
      async missed() {
        await deleter.missed();
        await options.missed();
      },
    });
    following = { deleter, follower };
    deleter.start();
    follower.start();
    return deleter;
  }

  /** A crawl that was begun over in its folder is another one, of the same name. */
  async function replaceFresh(
    there: CatalogEntry,
    manifest: Manifest,
    { at, fresh }: Entering,
  ): Promise<void> {
    const other = await readManifest(folderOf(manifest.name)).catch(() => undefined);
    if (!fresh || (other?.id === there.id && folderOf(manifest.name) !== at))
      throw new WebfarerError('usage', `another crawl of this coordinator is named ${manifest.name}`, {
        next: 'Give the new one another name.',
      });
    await markDeleted(catalog(), there);
    await options.forget(there);
    await catalog().remove(there.nonce);
  }

  async function enterHere(manifest: Manifest, how: Entering): Promise<CatalogEntry> {
    const crawl = knownIn(manifest);
    if (how.fromCatalog) await requireListed(catalog(), manifest);
    const job = jobInCatalog(manifest.job);
    const { entry } = await catalog().create({
      ...crawl,
      createdAtMs: Math.round(clock.wall()),
      job,
      seeds: manifest.seeds,
      tags: [...how.tags],
      wanted: 'running',
      durability: 'strict',
      ownCode: manifest.ownCode ?? false,
    });
    if (entry.id !== crawl.id) {
      await replaceFresh(entry, manifest, how);
      return await enterHere(manifest, how);
    }
    const isSame = (how.fromCatalog || JSON.stringify(entry.job) === JSON.stringify(job)) && !entry.unbegun;
    const begun = { ...(how.fromCatalog ? {} : { job }), unbegun: false };
    return (isSame ? entry : await changeEntry(catalog(), entry, () => begun)) ?? entry;
  }

  async function enterInStore(manifest: Manifest, { at }: Entering): Promise<CatalogEntry> {
    const entry = await requireListed(catalog(), manifest);
    if (entry.nonce === manifest.nonce) return entry;
    manifest.nonce = entry.nonce;
    await writeManifest(at, manifest);
    return entry;
  }

  async function deletedAmong(nonces: readonly string[]): Promise<string[]> {
    if (nonces.length === 0 || !hasCatalog()) return [];
    const begun = new Set((await deletedEntries(catalog())).map(({ nonce }) => nonce));
    const found: string[] = [];
    for (let from = 0; from < nonces.length; from += ASKED_AT_ONCE) {
      const some = nonces.slice(from, from + ASKED_AT_ONCE);
      const gone = await Promise.all(some.map(async (one) => begun.has(one) || catalog().wasRemoved(one)));
      found.push(...some.filter((_, i) => gone[i]));
    }
    return found;
  }

  return {
    folderOf,
    keptOf: (entry) =>
      keptOf(entry, { places: [folderOf(entry.name), folder], catalog: catalog(), frontier }),
    catalog,
    deletedAmong,
    existing,
    async toBegin({ id, nonce, previous }) {
      const identity = { id, nonce };
      // In a store the catalog says what it is compared with.
      const before = previous && !frontier ? await catalog().get(previous.id) : undefined;
      if (!before || before.nonce !== previous?.nonce) return { identity };
      const at = folderOf(before.name);
      return (await readManifest(at)) ? { identity, previous: at } : { identity };
    },
    async clear(name) {
      const manifest = await readManifest(folderOf(name)).catch(() => undefined);
      if (!manifest || !hasCatalog()) return;
      const crawl = knownIn(manifest);
      const entry = await catalog().get(crawl.id);
      if (isLeftover(manifest, entry) || (await deletedAmong([crawl.nonce])).length > 0)
        await eraseHere(crawl);
    },
    async enter(manifest, how) {
      follow();
      return await (frontier ? enterInStore(manifest, how) : enterHere(manifest, how));
    },
    ...createDeletions({ existing, objectsOf: options.objectsOf, deleter: follow }),
    stuck: () => following?.deleter.stuck() ?? [],
    async start() {
      const left = await leftoversBelow(below);
      if (!hasCatalog() && left.length === 0) return;
      const deleter = follow();
      for (const crawl of left) deleter.leftover(crawl);
    },
    async stop() {
      await following?.follower.stop();
      await following?.deleter.stop();
      await own?.close();
    },
  };
}

/** One that is taken up has an entry, or it was deleted and must not come back. */
async function requireListed(catalog: Catalog, { id, name }: Manifest): Promise<CatalogEntry> {
  const entry = await catalog.get(id);
  if (!entry) throw new WebfarerError('not-found', `the crawl ${name} was deleted meanwhile`);
  return entry;
}

/** A folder of a name that another crawl has by now, or none. */
function isLeftover({ store, nonce, session }: Manifest, entry: CatalogEntry | undefined): boolean {
  if (entry) return nonce !== undefined && nonce !== entry.nonce;
  // The store fell silent, or the process died, before the crawl was entered there: nothing was done for it.
  return store !== undefined && nonce === undefined && session.balance === undefined;
}

async function eraseShared(
  { frontier, forget }: OwnCrawlsOptions,
  crawls: readonly KnownCrawl[],
): Promise<boolean> {
  if (frontier && !(await frontier.claim(erasing, ERASING_MS))) return false;
  try {
    await frontier?.erase(crawls);
    for (const crawl of crawls) await forget(crawl);
    return true;
  } finally {
    // Without an answer of the store the claim ends by its time.
    await frontier?.release(erasing).catch(() => undefined);
  }
}
