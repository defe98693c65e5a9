import type { CrawlId } from '@webfarer/protocol';
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

export interface Deletions {
  catalog: Catalog;
  /** Frees all that is kept of these crawls. It may be cut off by a crash, and is then done again. */
  erase: (entries: readonly CatalogEntry[]) => Promise<unknown>;
}

const atOnce = 100;

/**
 * Ends every deletion that was begun, by this process or one that died: the entries go last, so none is forgotten.
 * Answers the ids of the crawls that are gone.
 */
export async function finishDeletions({ catalog, erase }: Deletions): Promise<CrawlId[]> {
  const gone: CrawlId[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await catalog.list({ after, limit: atOnce, states: ['deleted'], tags: [] });
    if (page.entries.length > 0) await erase(page.entries);
    for (const { id, nonce } of page.entries) {
      await catalog.remove(nonce);
      gone.push(id);
    }
    after = page.next;
  }
  return gone;
}
