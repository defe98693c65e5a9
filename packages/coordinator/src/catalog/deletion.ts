import type { Catalog, CatalogEntry } from './catalog.ts';

/**
 * Marks a crawl as deleted: from now on nobody may begin to work on it, and its id and name are free. Answers the entry
 * whose traces are to be erased; undefined where there is no such crawl, or another one by now.
 */
export async function markDeleted(
  catalog: Catalog,
  { id, nonce }: Pick<CatalogEntry, 'id' | 'nonce'>,
): Promise<CatalogEntry | undefined> {
  for (;;) {
    const entry = await catalog.get(id);
    if (entry?.nonce !== nonce) return undefined;
    const answer = await catalog.change(id, entry.version, { wanted: 'deleted' });
    if (answer.kind === 'changed') return answer.entry;
  }
}

/** The crawls whose deletion was begun, by this process or one that died, and has not ended. */
export async function deletedEntries(catalog: Catalog): Promise<CatalogEntry[]> {
  const found: CatalogEntry[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await catalog.list({ after, limit: 100, states: ['deleted'], tags: [] });
    found.push(...page.entries);
    after = page.next;
  }
  return found;
}
