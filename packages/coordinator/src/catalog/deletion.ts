import type { Catalog, CatalogEntry, EntryState } from './catalog.ts';
import { changeEntry } from './crawl-entry.ts';

export interface DeletionMark {
  /** It has something in object storage. */
  objects: boolean;
  /** Only if the entry still has this version: nothing was wanted of the crawl since. */
  version: number | undefined;
}

const wholly: DeletionMark = { objects: false, version: undefined };

/**
 * Marks a crawl as deleted: from now on nobody may begin to work on it or resume it, and its id and name are free. Answers
 * the entry whose traces are to be erased; undefined where there is no such crawl, another one by now, or another version.
 */
export async function markDeleted(
  catalog: Pick<Catalog, 'get' | 'change'>,
  crawl: Pick<CatalogEntry, 'id' | 'nonce'>,
  { objects, version }: DeletionMark = wholly,
): Promise<CatalogEntry | undefined> {
  const change = { wanted: 'deleted', ...(objects ? { objects } : {}) } as const;
  if (version === undefined) return await changeEntry(catalog, crawl, () => change);
  const answer = await catalog.change(crawl.id, version, change);
  return answer.kind === 'changed' ? answer.entry : undefined;
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
