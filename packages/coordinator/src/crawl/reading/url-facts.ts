import type { CrawlId, Edge, Job, Url } from '@webfarer/protocol';
import { type RobotsVerdict, robotsVerdict } from '@webfarer/protocol/robots';
import { originOf } from '@webfarer/protocol/url';
import type { Frontier, UrlStory } from '../../frontier/frontier.ts';
import type { Results, ResultsCursor } from '../../results/results.ts';
import { foundAtMs } from './found-at.ts';
import { meantUrl } from './meant-url.ts';

/** Everything that a crawl recorded about one URL. */
export interface UrlFacts {
  url: Url;
  /** Undefined: the crawl does not know the URL. */
  story: UrlStory | undefined;
  /** When it was found; undefined: not recorded. */
  foundAtMs: number | undefined;
  /** What the robots.txt that the crawl has read says about it; undefined where it has read none. */
  robots: RobotsVerdict | undefined;
  /** Its links; the first of them where there are more. */
  links: { total: number; first: Edge[] };
  /** What a scraper returned for it, likewise. */
  items: { total: number; first: unknown[] };
}

export interface LinkFrom extends Omit<Edge, 'to'> {
  from: Url;
}

/** One step of the search for pages that link to a URL. */
export interface LinksToPage {
  found: LinkFrom[];
  /** Pages whose links were looked at. */
  searched: number;
  next: string | undefined;
}

export interface UrlFactsOptions {
  crawl: CrawlId;
  job: Job;
  agentToken: string;
  frontier: Pick<Frontier, 'look' | 'robots'> & { results: Pick<Results, 'edgesOf' | 'itemsOf'> };
}

const mostLinks = 500;
const mostItems = 20;
/** Pages whose links one step reads. */
const pagesInStep = 2_000;

export async function urlFacts(text: string, options: UrlFactsOptions): Promise<UrlFacts> {
  const { crawl, job, agentToken, frontier } = options;
  const url = meantUrl(text, job);
  const [story, copy, edges, items] = await Promise.all([
    frontier.look(crawl, url),
    frontier.robots(originOf(url)),
    frontier.results.edgesOf(crawl, url),
    frontier.results.itemsOf(crawl, url),
  ]);
  return {
    url,
    story,
    foundAtMs: await foundAtMs(frontier, crawl, story),
    robots: copy && robotsVerdict(copy, agentToken, url),
    links: { total: edges.length, first: edges.slice(0, mostLinks) },
    items: { total: items.length, first: items.slice(0, mostItems) },
  };
}

/** No index leads from a URL to the pages that link to it, so the links of all pages are read, a step at a time. */
export async function linksToStep(
  text: string,
  {
    crawl,
    job,
    results,
    after,
  }: { crawl: CrawlId; job: Job; results: Pick<Results, 'after'>; after: string },
): Promise<LinksToPage> {
  const url = meantUrl(text, job);
  const cursor = after === '' ? undefined : (after as ResultsCursor);
  const query = { kinds: ['links'], filter: {}, limit: pagesInStep, absent: 'pass' } as const;
  const page = await results.after(crawl, cursor, query);
  const found = page.entries.flatMap((entry) =>
    entry.kind === 'links'
      ? entry.links.edges.flatMap(({ to, ...link }) => (to === url ? [{ from: entry.url, ...link }] : []))
      : [],
  );
  return { found, searched: page.entries.length, next: page.more ? page.cursor : undefined };
}
