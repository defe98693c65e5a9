import type { HostKey, PageRecord } from '@webfarer/protocol';
import type { OwnerAnswer } from '@webfarer/protocol/api';
import type { CatalogEntry, CatalogPage } from '../catalog/catalog.ts';
import type { UrlPage, UrlSearch } from '../frontier/frontier.ts';

/** An answer for a stranger may cost so much: crawls that are listed and searched, pages of URLs, and requests shown. */
const MOST = { listed: 2_000, crawls: 100, steps: 60, shown: 100 };
const STEP = 1_000;

type Fetched = OwnerAnswer['fetched'];

/** Where the crawls and their URLs are read. */
export interface FetchedSources {
  crawls: {
    list(query: { after: string; limit: number; states: []; tags: [] }): Promise<CatalogPage>;
  };
  urls: { search(entry: CatalogEntry, search: UrlSearch): Promise<UrlPage> };
}

/** What was requested from a host, in all crawls, without the names of any. Bounded: `complete` says whether that was all. */
export async function fetchedFrom(host: HostKey, { crawls, urls }: FetchedSources): Promise<Fetched> {
  const { entries, isWhole } = await newestCrawls(crawls);
  const fetched: Fetched = { pages: 0, bytes: 0, complete: isWhole, byStatus: {}, latest: [] };
  const found: PageRecord[] = [];
  let steps = 0;

  async function search(entry: CatalogEntry, state: 'done' | 'failed'): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined; ) {
      if (++steps > MOST.steps) {
        fetched.complete = false;
        return;
      }
      const page = await urls.search(entry, { filter: { host, state }, after, limit: STEP });
      for (const known of page.urls) if ('record' in known) found.push(known.record);
      after = page.next;
    }
  }

  // A crawl that another process has in its folder, or that is about to be deleted, cannot be read here.
  for (const entry of entries)
    for (const state of ['done', 'failed'] as const)
      await search(entry, state).catch(() => (fetched.complete = false));
  for (const { status, bytes = 0 } of found) {
    const name = status === undefined ? 'none' : String(status);
    fetched.pages++;
    fetched.bytes += bytes;
    fetched.byStatus[name] = (fetched.byStatus[name] ?? 0) + 1;
  }
  fetched.latest = found
    .toSorted((a, b) => (b.startedAtMs ?? 0) - (a.startedAtMs ?? 0))
    .slice(0, MOST.shown)
    .map(({ startedAtMs, url, status, bytes }) => ({
      ...(startedAtMs === undefined ? {} : { atMs: startedAtMs }),
      url,
      ...(status === undefined ? {} : { status }),
      ...(bytes === undefined ? {} : { bytes }),
    }));
  return fetched;
}

async function newestCrawls(
  crawls: FetchedSources['crawls'],
): Promise<{ entries: CatalogEntry[]; isWhole: boolean }> {
  const all: CatalogEntry[] = [];
  let after: string | undefined = '';
  for (; after !== undefined && all.length < MOST.listed; ) {
    const page: CatalogPage = await crawls.list({
      after,
      limit: 500,
      states: [],
      tags: [],
    });
    all.push(...page.entries.filter(({ wanted }) => wanted !== 'deleted'));
    after = page.next;
  }
  const entries = all.toSorted((a, b) => b.createdAtMs - a.createdAtMs).slice(0, MOST.crawls);
  return { entries, isWhole: after === undefined && entries.length === all.length };
}
