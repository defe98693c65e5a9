import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { isOpen } from '../catalog/crawl-entry.ts';
import type { RunningCrawl } from '../crawl/running-crawl.ts';

export interface OpenEntryOptions {
  /** Undefined where there is none yet. */
  catalog: () => Catalog | undefined;
  /** The crawl of this name that is open here. Waits for one that is being opened or closed. */
  open: (name: string) => Promise<RunningCrawl | undefined>;
  /** Which crawl has this name here, by its nonce. */
  nonceOf: (name: string) => string | undefined;
  /** One of this name is being opened, or runs. */
  isBusy: (name: string) => boolean;
  takeUp: (entry: CatalogEntry) => Promise<unknown>;
}

/**
 * Takes up a crawl of the catalog, unless it is open here or opened by another call meanwhile. What was read of its entry may be
 * old: by now it may have been stopped or deleted.
 */
export function entryOpener(options: OpenEntryOptions): (entry: CatalogEntry) => Promise<void> {
  const { open, nonceOf, isBusy, takeUp } = options;

  /** Undefined: nobody is to work on it any more. */
  async function asItIsNow({ id, nonce }: CatalogEntry): Promise<CatalogEntry | undefined> {
    const entry = await options.catalog()?.get(id);
    return entry?.nonce === nonce && isOpen(entry.wanted) ? entry : undefined;
  }

  return async (entry) => {
    const { name, nonce } = entry;
    for (;;) {
      const there = await open(name);
      if (there && nonceOf(name) === nonce) return await there.followEntry(entry);
      // One of the same name that was deleted is about to end.
      await there?.ended.catch(() => undefined);
      const now = await asItIsNow(entry);
      if (!now) return;
      if (isBusy(name)) continue;
      try {
        await takeUp(now);
        return;
      } catch (error) {
        if (await asItIsNow(entry)) throw error;
        return;
      }
    }
  };
}
