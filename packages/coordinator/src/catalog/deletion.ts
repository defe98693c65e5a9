import type { Catalog, CatalogEntry, EntryState } from './catalog.ts';
import { changeEntry } from './crawl-entry.ts';

/**
 * Marks a crawl as deleted: from now on nobody may begin to work on it, and its id and name are free. Answers the entry
 * whose traces are to be erased; undefined where there is no such crawl, or another one by now.
 */
export async function markDeleted(
  catalog: Catalog,
  crawl: Pick<CatalogEntry, 'id' | 'nonce'>,
): Promise<CatalogEntry | undefined> {
  return await changeEntry(catalog, crawl, () => ({ wanted: 'deleted' }));
}

/** The crawls whose deletion was begun, by this process or one that died, and has not ended. */
export async function deletedEntries(catalog: Catalog): Promise<CatalogEntry[]> {
  return await entriesIn(catalog, ['deleted']);
}

/** All entries in one of these states, read page by page. */
export async function entriesIn(catalog: Catalog, states: readonly EntryState[]): Promise<CatalogEntry[]> {
  const found: CatalogEntry[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await catalog.list({ after, limit: 100, states, tags: [] });
    found.push(...page.entries);
    after = page.next;
  }
  return found;
}
