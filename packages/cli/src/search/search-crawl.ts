import { join, resolve } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import { storedPage } from '@webfarer/worker';
import type { ResultsCursor } from '@webfarer/coordinator';
import type { FolderReader } from '../crawl/local-port.ts';
import { contextOutside } from '../handlers/outside-context.ts';
import { type StoredRecords, storedRecords } from '../handlers/stored-records.ts';
import { readFolder } from '../local/folder-reader.ts';
import { pageText } from './page-text.ts';
import { type IndexedPage, openSearchIndex, type SearchHit, type SearchIndex } from './search-index.ts';
import { ftsQuery } from './words.ts';

/** How much a search answers. */
export interface SearchOptions {
  /** Hits, best first (10). */
  limit?: number;
}

/** What a search found. */
export interface SearchAnswer {
  /** Pages that have all the words. */
  total: number;
  hits: SearchHit[];
  /** Pages in the index. */
  pages: number;
  /** Of these, what this call has added. */
  added: number;
}

/** Outcomes that are indexed in one transaction. */
const batch = 200;

/**
 * Searches the text of the pages that a crawl has saved. The index is made on first use, in `search.db` of the folder,
 * and takes in what the crawl has saved since then. Works while the crawl runs. `words`: all must be there; `"in this order"`,
 * `begin*`, `-without`.
 */
export async function searchCrawl(
  folder: string,
  words: string,
  { limit = 10 }: SearchOptions = {},
): Promise<SearchAnswer> {
  const query = ftsQuery(words);
  if (query === undefined)
    throw new WebfarerError('usage', 'There is no word to search for.', { next: 'Name at least one word.' });
  const path = resolve(folder);
  const reader = await readFolder(path);
  try {
    const index = openSearchIndex(join(path, 'search.db'), reader.crawl);
    try {
      const added = await update(index, reader, path);
      return { ...index.find(query, limit), pages: index.count(), added };
    } finally {
      index.close();
    }
  } finally {
    await reader.close();
  }
}

/** Adds what was settled since the last search. */
async function update(index: SearchIndex, reader: FolderReader, path: string): Promise<number> {
  try {
    return await addAfter(index, reader, path);
  } catch (error) {
    // The store has lost results that the index has seen: only a new index is right.
    if (!(error instanceof WebfarerError && error.code === 'cursor-stale')) throw error;
    index.clear();
    return await addAfter(index, reader, path);
  }
}

async function addAfter(index: SearchIndex, reader: FolderReader, path: string): Promise<number> {
  const context = await contextOutside({}, { job: withoutOwnCode(reader.job), seeds: reader.seeds });
  const stored = storedRecords(path, reader);
  let added = 0;
  let cursor = index.cursor as ResultsCursor | undefined;
  try {
    for (;;) {
      const query = { kinds: ['record'] as const, filter: {}, limit: batch, absent: 'pass' as const };
      const { entries, more, cursor: next } = await reader.results.after(reader.crawl, cursor, query);
      const pages: IndexedPage[] = [];
      for (const entry of entries) {
        if (entry.kind !== 'record' || entry.record.kind !== 'page') continue;
        pages.push(await indexed(context, stored, entry.record));
      }
      if (next !== cursor) index.put(pages, next);
      added += pages.filter(({ text }) => text !== undefined).length;
      cursor = next;
      if (!more) return added;
    }
  } finally {
    await stored.close();
  }
}

/** A scraper of the user's own is not loaded to read text. */
function withoutOwnCode(job: FolderReader['job']): FolderReader['job'] {
  return { ...job, scraper: { kind: 'links', follow: [] } };
}

type Context = Awaited<ReturnType<typeof contextOutside>>;
type Stored = Parameters<StoredRecords['of']>[0];

/** A page that is gone or whose body is not kept has no text: an earlier one of its URL leaves the index. */
async function indexed(context: Context, stored: StoredRecords, record: Stored): Promise<IndexedPage> {
  const { url, title = '', status = 0, reason } = record;
  const none = { url, title, text: undefined };
  const found = (status >= 200 && status < 300) || reason === 'not-modified' ? stored.of(record) : undefined;
  if (!found) return none;
  try {
    const { page, free } = await storedPage(context, {
      entry: found.entry,
      stored: await found.read(),
    });
    try {
      return { url, title: page.title ?? title, text: await pageText(page) };
    } finally {
      free();
    }
  } catch (error) {
    if (error instanceof WebfarerError && error.code === 'not-found') return none;
    throw error;
  }
}
