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
  /** One crawl could not be deleted now. The others are, and this one is tried again. */
  stuck: (crawl: KnownCrawl, error: unknown) => void;
  /** Nothing is left of it here. */
  gone: (crawl: KnownCrawl) => void;
  /** A fault of ours in looking after all of them. */
  failed: (error: unknown) => void;
}

/**
 * Deletes crawls: also those that another coordinator deleted, while this one was down or before the one that was asked
 * to do it died.
 */
export interface CrawlDeleter extends Duty {
  /**
   * Resolves when nothing of the crawl is left here, and nothing in the store. False: it is gone already. Rejects with what
   * prevents it, which is tried again.
   */
  delete(crawl: KnownCrawl): Promise<boolean>;
  /** The same for one that is marked as deleted. */
  erase(entry: CatalogEntry): Promise<void>;
  /** Crawls whose deletion was tried in vain. */
  stuck(): CatalogEntry[];
  /** Something is left on this machine of a crawl that is in no catalog any more. */
  leftover(crawl: KnownCrawl): void;
  /** Entries of the catalog that were changed. */
  changed(entries: readonly CatalogEntry[]): void;
  /** What happened since this process last looked, or before it started, is not known. */
  missed(): Promise<void>;
}

const IDLE_MS = 500;
const BUSY_MS = 250;
/** What could not be deleted is tried again after this time, which doubles with each try. */
const RETRY_MS = 1_000;
const MOST_RETRY_MS = 300_000;
const ASKED_AT_ONCE = 100;

export function createCrawlDeleter(options: CrawlDeleterOptions): CrawlDeleter {
  const { catalog, clock, known, eraseHere, eraseShared, failed } = options;
  /** Deleted, but not removed from the catalog yet. */
  const open = new Map<string, CatalogEntry>();
  /** Of these, nothing is left here. */
  const erased = new Set<string>();
  /** Removed from the catalog while this process did not look; it may still have something of them. */
  const removed = new Map<string, KnownCrawl>();
  const troubles = createTroubles(clock, options.stuck);
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

  function isGone(crawl: KnownCrawl): void {
    troubles.clear(crawl.nonce);
    options.gone(crawl);
  }

  async function eraseOpen(): Promise<void> {
    for (const crawl of removed.values()) {
      if (!troubles.isDue(crawl) || !(await troubles.attempt([crawl], () => eraseHere(crawl)))) continue;
      removed.delete(crawl.nonce);
      isGone(crawl);
    }
    for (const crawl of open.values()) {
      if (erased.has(crawl.nonce) || !troubles.isDue(crawl)) continue;
      if (await troubles.attempt([crawl], () => eraseHere(crawl))) erased.add(crawl.nonce);
    }
    const ready = [...open.values()].filter((crawl) => erased.has(crawl.nonce) && troubles.isDue(crawl));
    if (ready.length === 0) return;
    // One that failed may be what makes the others fail.
    const alone = ready.filter(({ nonce }) => troubles.of(nonce) !== undefined).map((crawl) => [crawl]);
    const together = ready.filter(({ nonce }) => !troubles.of(nonce));
    for (const crawls of together.length > 0 ? [together, ...alone] : alone)
      await troubles.attempt(crawls, async () => {
        const isErased = await eraseShared(crawls);
        for (const { nonce, objects } of isErased ? crawls : []) {
          // The entry of a crawl with objects stays until those are gone: delete-with-objects.ts.
          if (objects) open.delete(nonce);
          else await catalog.remove(nonce);
        }
      });
    const left = new Set((await deletedEntries(catalog)).map(({ nonce }) => nonce));
    for (const crawl of ready) {
      if (left.has(crawl.nonce) && open.has(crawl.nonce)) continue;
      open.delete(crawl.nonce);
      erased.delete(crawl.nonce);
      isGone(crawl);
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

  async function erase(entry: CatalogEntry): Promise<void> {
    open.set(entry.nonce, entry);
    troubles.retry(entry.nonce);
    while (open.has(entry.nonce)) {
      await inTurn(eraseOpen);
      const trouble = troubles.of(entry.nonce);
      if (trouble) throw trouble.error;
      if (open.has(entry.nonce)) await clock.sleep(BUSY_MS);
    }
  }

  const duty = createDuty({ clock, step, afterTroubleMs: IDLE_MS, failed });
  return {
    start: () => duty.start(),
    stop: () => duty.stop(),
    changed,
    missed,
    leftover: (crawl) => void removed.set(crawl.nonce, crawl),
    stuck: () => [...open.values()].filter(({ nonce }) => troubles.of(nonce) !== undefined),
    async delete(crawl) {
      const entry = await markDeleted(catalog, crawl);
      if (entry) await erase(entry);
      return entry !== undefined;
    },
    erase,
  };
}

interface Trouble {
  error: unknown;
  tries: number;
  untilMs: number;
}

/** Why deletions failed, by nonces, and when each is tried again. */
function createTroubles(clock: Pick<Clock, 'now'>, stuck: CrawlDeleterOptions['stuck']) {
  const troubles = new Map<string, Trouble>();
  return {
    of: (nonce: string): Trouble | undefined => troubles.get(nonce),
    isDue: ({ nonce }: KnownCrawl): boolean => (troubles.get(nonce)?.untilMs ?? 0) <= clock.now(),
    /** It is due at once. */
    retry(nonce: string): void {
      const trouble = troubles.get(nonce);
      if (trouble) trouble.untilMs = 0;
    },
    clear: (nonce: string) => void troubles.delete(nonce),
    /** Whether it worked. An error concerns these crawls alone. */
    async attempt(crawls: readonly KnownCrawl[], work: () => Promise<unknown>): Promise<boolean> {
      try {
        await work();
        return true;
      } catch (error) {
        for (const crawl of crawls) {
          const tries = (troubles.get(crawl.nonce)?.tries ?? 0) + 1;
          const waitMs = Math.min(MOST_RETRY_MS, RETRY_MS * 2 ** (tries - 1));
          troubles.set(crawl.nonce, { error, tries, untilMs: clock.now() + waitMs });
          stuck(crawl, error);
        }
        return false;
      }
    },
  };
}
