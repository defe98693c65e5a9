import {
  inListOrder,
  type ListedCounts,
  listedCountsKey,
  type ListedCrawl,
  listedCrawlKey,
} from '@webfarer/protocol/api';
import type { Documents } from './documents.ts';
import { ofTeam, type ReadList } from './lists.ts';

export interface CrawlSearch {
  /** Empty: in any. */
  states: readonly string[];
  /** In the name or a tag, whatever the case; empty: all. */
  search: string;
}

export interface CrawlPart extends CrawlSearch {
  /** Crawls before it in the list. */
  offset: number;
  limit: number;
}

/** The list of crawls in parts, each with counts of the whole. */
export interface CrawlParts {
  /** Reads a part again and again; the same object while nothing in it could have changed. */
  part(part: CrawlPart, team: string | undefined): ReadList;
}

interface Found {
  crawls: readonly ListedCrawl[];
  counts: ListedCounts;
}

/** Searches that are kept for a state of the list; parts and viewers with the same one share it. */
const mostSearches = 200;

export function createCrawlParts(read: ReadList): CrawlParts {
  /** Of the latest state of the list: it is sorted once, whoever looks at whichever part. */
  let latest: { of: Documents; found: Map<string, Found> } | undefined;

  function find(documents: Documents, { states, search }: CrawlSearch, team: string | undefined): Found {
    if (latest?.of !== documents) latest = { of: documents, found: new Map() };
    const key = JSON.stringify([team, states, search]);
    const known = latest.found.get(key);
    if (known) return known;
    const all = [...ofTeam(documents, team).values()] as ListedCrawl[];
    const crawls = all.filter((crawl) => fits(crawl, states, search)).sort(inListOrder);
    const found = { crawls, counts: { all: all.length, found: crawls.length, byState: byState(all) } };
    if (latest.found.size >= mostSearches) latest.found.clear();
    latest.found.set(key, found);
    return found;
  }

  return {
    part({ states, search, offset, limit }, team) {
      const asked = { states: [...states].sort(), search: search.trim().toLowerCase() };
      let last: { of: Documents; part: Documents } | undefined;
      return async () => {
        const documents = await read();
        if (last?.of === documents) return last.part;
        const { crawls, counts } = find(documents, asked, team);
        const part = new Map<string, unknown>([[listedCountsKey, counts]]);
        for (const crawl of crawls.slice(offset, offset + limit)) part.set(listedCrawlKey(crawl.id), crawl);
        last = { of: documents, part };
        return part;
      };
    },
  };
}

function fits({ name, tags, wanted }: ListedCrawl, states: readonly string[], search: string): boolean {
  if (states.length > 0 && !states.includes(wanted)) return false;
  return search === '' || [name, ...tags].some((text) => text.toLowerCase().includes(search));
}

function byState(crawls: readonly ListedCrawl[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { wanted } of crawls) counts[wanted] = (counts[wanted] ?? 0) + 1;
  return counts;
}
