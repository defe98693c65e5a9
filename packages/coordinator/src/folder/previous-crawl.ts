import type { Before, CrawlId, Edge, PageRecord, PreviousLink, PreviousPage, Url } from '@webfarer/protocol';
import type { Frontier } from '../frontier/frontier.ts';
import type { Results } from '../results/results.ts';

/** A finished crawl as its recrawl sees it: looked up by URL, never changed. */
export interface PreviousCrawl {
  /** Undefined where nothing can be said of it: results of the crawl are out of reach. */
  before(url: Url): Promise<Before | undefined>;
  /** Only what was a page then. */
  page(url: Url, queuedAs: boolean): Promise<PreviousPage | undefined>;
}

export type PreviousStore = Pick<Frontier, 'look'> & { results: Pick<Results, 'edgesOf' | 'itemsOf'> };

export interface PreviousFacts {
  /** What the store does not know was not there then. */
  isWhole: boolean;
  /** Items were made by the same rules then. If not, all pages are fetched whole, so that all items are made anew. */
  hasSameItems: boolean;
}

export function previousCrawl(
  store: PreviousStore,
  crawl: CrawlId,
  { isWhole, hasSameItems }: PreviousFacts,
): PreviousCrawl {
  async function contentOf(url: Url): Promise<PageRecord | undefined> {
    const story = await store.look(crawl, url);
    return story?.state === 'settled' && isContent(story.record) ? story.record : undefined;
  }

  async function withQueuedAs(edge: Edge): Promise<PreviousLink> {
    const story = await store.look(crawl, edge.to);
    if (!story) return edge;
    const { kind, depth, label, request } = story.state === 'settled' ? story.record : story.entry;
    const asked = {
      ...(label === undefined ? {} : { label }),
      ...(request === undefined ? {} : { request }),
    };
    return { ...edge, queuedAs: { kind, depth, ...asked } };
  }

  return {
    async before(url) {
      const record = await contentOf(url);
      if (!record) return isWhole || (await store.look(crawl, url)) ? { content: false } : undefined;
      const { etag, lastModified } = hasSameItems ? record : {};
      const { digest } = record;
      return {
        content: true,
        capturedAtMs: capturedAt(record),
        ...(etag === undefined ? {} : { etag }),
        ...(lastModified === undefined ? {} : { lastModified }),
        ...(digest === undefined ? {} : { digest }),
      };
    },
    async page(url, queuedAs) {
      const record = await contentOf(url);
      if (!record) return undefined;
      const edges = await store.results.edgesOf(crawl, url);
      const links = queuedAs ? await Promise.all(edges.map(withQueuedAs)) : edges;
      return { record, links, items: record.items === 0 ? [] : await store.results.itemsOf(crawl, url) };
    },
  };
}

/** Whether two jobs, as written, make the same items of a page. What is in a module is not looked at. */
export function makesSameItems(a: unknown, b: unknown): boolean {
  const rules = (job: unknown) => {
    const { extract = [], scraper = 'links' } = (job ?? {}) as { extract?: unknown; scraper?: unknown };
    return JSON.stringify([extract, scraper]);
  };
  return rules(a) === rules(b);
}

/** There was a page: it was answered, or it was as in the crawl before. */
export function isContent({ verdict, reason }: Pick<PageRecord, 'verdict' | 'reason'>): boolean {
  return verdict === 'done' && (reason === 'ok' || reason === 'not-modified');
}

/** A page that was unchanged then has its bytes in a crawl still earlier. */
function capturedAt({ capturedAtMs, saved, startedAtMs }: PageRecord): number {
  const earlier = saved?.find(({ revisit }) => revisit && !revisit.original)?.revisit;
  return capturedAtMs ?? earlier?.startedAtMs ?? startedAtMs;
}
