import { WebfarerError } from '@webfarer/protocol';
import type { compareRoutes } from '@webfarer/protocol/api';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { ApiParts } from '../call/api-parts.ts';
import type { HandlersOf, Principal } from '../call/call.ts';
import { maySee, noSuchCrawl } from '../call/crawl-teams.ts';

const mostEarlier = 50;
const listedAtOnce = 500;

/** What changed between two crawls, and with which ones a crawl is best compared. */
export function compareHandlers({ crawls, comparisons }: ApiParts): HandlersOf<typeof compareRoutes> {
  async function find(name: string, principal: Principal): Promise<CatalogEntry> {
    const entry = await crawls.find(name);
    // The other crawl stands in the query, where no guard looks.
    if (entry && maySee(principal, entry)) return entry;
    throw noSuchCrawl(name);
  }

  /** Earlier crawls of the same seeds, and those that it is a recrawl of; the last one first. */
  async function earlierThan(entry: CatalogEntry, principal: Principal): Promise<CatalogEntry[]> {
    const seeds = seedsOf(entry);
    const found: CatalogEntry[] = [];
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page = await crawls.list({ after, limit: listedAtOnce, states: [], tags: [] });
      for (const each of page.entries) {
        const isEarlier = each.nonce !== entry.nonce && each.createdAtMs <= entry.createdAtMs;
        if (!isEarlier || each.wanted === 'deleted' || !maySee(principal, each)) continue;
        if (each.nonce === entry.previous?.nonce || seedsOf(each) === seeds) found.push(each);
      }
      // No more than are answered are kept.
      if (found.length > mostEarlier * 2) found.splice(0, found.length, ...latest(found));
      after = page.next;
    }
    return latest(found);
  }

  return {
    async listEarlierCrawls({ params, principal }) {
      const entry = await find(params.crawl, principal);
      const items = (await earlierThan(entry, principal)).map((each) => ({
        id: each.id,
        name: each.name,
        createdAtMs: Math.round(each.createdAtMs),
        previous: each.nonce === entry.previous?.nonce,
      }));
      return { items };
    },
    async compareCrawls({ params, query, principal }) {
      const { with: named, change, after, limit, id } = query;
      const [entry, other] = [await find(params.crawl, principal), await find(named, principal)];
      if (entry.nonce === other.nonce) throw sameCrawl();
      const { isReady, sums, pages, next, ...rest } = await comparisons.compare(entry, other, {
        id,
        change,
        after,
        limit,
      });
      return {
        ...rest,
        ready: isReady,
        with: { id: other.id, name: other.name, createdAtMs: Math.round(other.createdAtMs) },
        ...(sums ? { sums } : {}),
        items: pages,
        ...(next === undefined ? {} : { next }),
      };
    },
  };
}

const seedsOf = ({ seeds }: CatalogEntry): string => JSON.stringify(seeds.toSorted());

const latest = (entries: readonly CatalogEntry[]): CatalogEntry[] =>
  entries.toSorted((a, b) => b.createdAtMs - a.createdAtMs).slice(0, mostEarlier);

function sameCrawl(): WebfarerError {
  return new WebfarerError('usage', 'a crawl cannot be compared with itself', {
    next: 'Name another crawl in with; GET /v1/crawls/ID/earlier lists those of the same seeds.',
  });
}
