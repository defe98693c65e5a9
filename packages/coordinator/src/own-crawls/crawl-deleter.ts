import type { Clock } from '@webfarer/protocol';
import { createDuty, type Duty } from '../maintenance/duty.ts';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { deletedEntries, markDeleted } from '../catalog/deletion.ts';

/** A crawl as a coordinator knows it, in memory or in a folder. */
export type KnownCrawl = Pick<CatalogEntry, 'id' | 'name' | 'nonce'>;

export interface CrawlDeleterOptions {
  catalog: Catalog;
  clock: Clock;
  /** The crawls that this coordinator has anything of. */
  known: () => Promise<KnownCrawl[]>;
  /** Stops working on the crawl here and frees what this machine keeps of it. May be called again, and for any crawl. */
  eraseHere: (crawl: KnownCrawl) => Promise<void>;
  /** Frees what all coordinators share. False: another one is doing so. */
  eraseShared: (crawls: readonly KnownCrawl[]) => Promise<boolean>;
  /** A fault of ours. */
  failed: (error: unknown) => void;
}

/**
 * Deletes crawls: also those that another coordinator deleted, while this one was down or before the one that was asked
 * to do it died.
 */
export interface CrawlDeleter extends Duty {
  /** Resolves when nothing of the crawl is left here, and nothing in the store. False: it is gone already. */
  delete(crawl: KnownCrawl): Promise<boolean>;
  /** Entries of the catalog that were changed. */
  changed(entries: readonly CatalogEntry[]): void;
  /** What happened since this process last looked, or before it started, is not known. */
  missed(): Promise<void>;
}

const IDLE_MS = 500;
const BUSY_MS = 250;
const ASKED_AT_ONCE = 100;

export function createCrawlDeleter(options: CrawlDeleterOptions): CrawlDeleter {
  const { catalog, clock, known, eraseHere, eraseShared, failed } = options;
  /** Deleted, but not removed from the catalog yet. */
  const open = new Map<string, KnownCrawl>();
  /** Of these, nothing is left here. */
  const erased = new Set<string>();
  /** Removed from the catalog while this process did not look; it may still have something of them. */
  const removed = new Map<string, KnownCrawl>();
  let turn: Promise<unknown> = Promise.resolve();

  function changed(entries: readonly CatalogEntry[]): void {
    for (const entry of entries) if (entry.wanted === 'deleted') open.set(entry.nonce, entry);
  }

  async function missed(): Promise<void> {
    changed(await deletedEntries(catalog));
    // Only by what the catalog remembers: that an entry is missing may mean that the store was restored.
    const all = await known();
    for (let from = 0; from < all.length; from += ASKED_AT_ONCE) {
      const some = all.slice(from, from + ASKED_AT_ONCE);
      const gone = await Promise.all(some.map(({ nonce }) => catalog.wasRemoved(nonce)));
      for (const [i, crawl] of some.entries()) if (gone[i]) removed.set(crawl.nonce, crawl);
    }
  }

  async function eraseOpen(): Promise<void> {
    for (const crawl of removed.values()) {
      await eraseHere(crawl);
      removed.delete(crawl.nonce);
    }
    for (const crawl of open.values()) {
      if (erased.has(crawl.nonce)) continue;
      await eraseHere(crawl);
      erased.add(crawl.nonce);
    }
    const crawls = [...open.values()];
    if (crawls.length === 0) return;
    if (await eraseShared(crawls)) for (const { nonce } of crawls) await catalog.remove(nonce);
    const left = new Set((await deletedEntries(catalog)).map(({ nonce }) => nonce));
    for (const { nonce } of crawls) {
      if (left.has(nonce)) continue;
      open.delete(nonce);
      erased.delete(nonce);
    }
  }

  /** One at a time: a crawl is created anew only after the one before it is gone from this machine. */
  async function inTurn(work: () => Promise<void>): Promise<void> {
    const mine = turn.then(work);
    turn = mine.catch(() => undefined);
    await mine;
  }

  async function step(): Promise<number> {
    if (open.size + removed.size > 0) await inTurn(eraseOpen);
    return open.size > 0 ? BUSY_MS : IDLE_MS;
  }

  const duty = createDuty({ clock, step, afterTroubleMs: IDLE_MS, failed });
  return {
    start: () => duty.start(),
    stop: () => duty.stop(),
    changed,
    missed,
    async delete(crawl) {
      const entry = await markDeleted(catalog, crawl);
      if (!entry) return false;
      open.set(entry.nonce, entry);
      while (open.has(entry.nonce)) {
        await inTurn(eraseOpen);
        if (open.has(entry.nonce)) await clock.sleep(BUSY_MS);
      }
      return true;
    },
  };
}
