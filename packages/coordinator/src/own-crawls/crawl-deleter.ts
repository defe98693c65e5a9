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
 * Deletes crawls, and follows the catalog for crawls that another coordinator deleted: also while this one was down, or
 * before the one that was asked to do it died.
 */
export interface CrawlDeleter extends Duty {
  /** Resolves when nothing of the crawl is left here, and nothing in the store. False: it is gone already. */
  delete(crawl: KnownCrawl): Promise<boolean>;
}

const LOOK_MS = 1_000;
const BUSY_MS = 250;

export function createCrawlDeleter(options: CrawlDeleterOptions): CrawlDeleter {
  const { catalog, clock, known, eraseHere, eraseShared, failed } = options;
  let generation = '';
  /** Deleted, but not removed from the catalog yet. */
  const open = new Map<string, KnownCrawl>();
  /** Of these, nothing is left here. */
  const erased = new Set<string>();
  let turn: Promise<unknown> = Promise.resolve();

  async function follow(): Promise<void> {
    const { generation: latest, complete, changed } = await catalog.changes(generation);
    if (complete) for (const entry of changed) note(entry);
    else await lookAtAll();
    generation = latest;
  }

  function note(entry: CatalogEntry): void {
    if (entry.wanted === 'deleted') open.set(entry.nonce, entry);
  }

  /** What happened since this process last looked, or before it started, is not known. */
  async function lookAtAll(): Promise<void> {
    for (const entry of await deletedEntries(catalog)) note(entry);
    // Only by what the catalog remembers: that an entry is missing may mean that the store was restored.
    for (const crawl of await known()) if (await catalog.wasRemoved(crawl.nonce)) await eraseHere(crawl);
  }

  async function eraseOpen(): Promise<void> {
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
    await inTurn(async () => {
      await follow();
      await eraseOpen();
    });
    return open.size > 0 ? BUSY_MS : LOOK_MS;
  }

  const duty = createDuty({ clock, step, afterTroubleMs: LOOK_MS, failed });
  return {
    start: () => duty.start(),
    stop: () => duty.stop(),
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
