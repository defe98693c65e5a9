import type { Edge, PageRecord, Url } from '@webfarer/protocol';
import { csrOf } from '../hostgraph/csr.ts';
import type { PageGraph } from './page-graph.ts';
import { isReaderLink } from './reader-links.ts';
import type { SiteJobs } from './site-jobs.ts';

export interface CrawlPages {
  records(): AsyncIterable<PageRecord>;
  edges(): AsyncIterable<{ from: Url; edges: Edge[] }>;
}

/** Longer chains of redirects are taken for circles. */
const mostRedirects = 50;

/**
 * The page graph of every job of a crawl, in the order of their names. Two passes: which pages there are, then where
 * they lead. The order in which the crawl came across them leaves no trace.
 */
export async function pageGraphs(crawl: CrawlPages, jobs: SiteJobs): Promise<PageGraph[]> {
  const drafts = await findPages(crawl, jobs);
  for await (const { from, edges } of crawl.edges()) {
    const draft = drafts.get(jobs.nameOf(from) ?? '');
    const page = draft?.numbers.get(from);
    if (draft === undefined || page === undefined) continue;
    draft.places[page] = placesFrom(from, edges, draft.redirects);
  }
  const named = [...drafts]
    .filter(([, { pages }]) => pages.length > 0)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return named.map(([job, draft]) => finish(job, draft, (url) => jobs.nameOf(url) === job));
}

interface Draft {
  pages: Url[];
  numbers: Map<Url, number>;
  /** Only of URLs inside the job: where others redirect is not looked at. */
  redirects: Map<Url, Url>;
  /** For each page: where its links lead, and how many lead there. */
  places: (Map<Url, number> | undefined)[];
}

async function findPages(crawl: CrawlPages, jobs: SiteJobs): Promise<Map<string, Draft>> {
  const drafts = new Map<string, Draft>();
  for await (const record of crawl.records()) {
    const job = jobs.nameOf(record.url);
    if (job === undefined) continue;
    const draft: Draft = drafts.get(job) ?? {
      pages: [],
      numbers: new Map(),
      redirects: new Map(),
      places: [],
    };
    drafts.set(job, draft);
    if (record.redirectTo !== undefined) draft.redirects.set(record.url, record.redirectTo);
    else if (isPage(record)) draft.pages.push(record.url);
  }
  for (const draft of drafts.values()) {
    draft.pages.sort();
    draft.pages.forEach((url, n) => draft.numbers.set(url, n));
  }
  return drafts;
}

function isPage({ kind, verdict, reason }: PageRecord): boolean {
  return kind === 'page' && verdict === 'done' && (reason === 'ok' || reason === 'not-modified');
}

function placesFrom(from: Url, edges: Edge[], redirects: Map<Url, Url>): Map<Url, number> {
  const places = new Map<Url, number>();
  for (const { to, rel } of edges) {
    if (!isReaderLink(rel)) continue;
    const place = endOf(to, redirects);
    if (place !== from) places.set(place, (places.get(place) ?? 0) + 1);
  }
  return places;
}

/** Where redirects end. In a circle: at a URL that redirects, which is no page and so lost. */
function endOf(url: Url, redirects: Map<Url, Url>): Url {
  let at = url;
  for (let n = 0; n < mostRedirects; n++) {
    const next = redirects.get(at);
    if (next === undefined) return at;
    at = next;
  }
  return url;
}

function finish(job: string, draft: Draft, isInside: (url: Url) => boolean): PageGraph {
  const { pages, numbers, places } = draft;
  const targets = targetsOf(draft, isInside);
  const targetNumbers = new Map(targets.map((url, n) => [url, n]));
  const rows = pages.map((_, page) => {
    const all = [...(places[page] ?? [])];
    const inner = all.map(([url]) => numbers.get(url)).filter((to) => to !== undefined);
    const exits = all
      .map(([url, links]) => ({ to: targetNumbers.get(url), links }))
      .filter((exit): exit is { to: number; links: number } => exit.to !== undefined)
      .toSorted((a, b) => a.to - b.to);
    return { inner: inner.toSorted((a, b) => a - b), exits, lost: all.length - inner.length - exits.length };
  });
  return {
    job,
    pages,
    targets,
    inner: csrOf(rows.map(({ inner }) => inner)),
    exits: csrOf(rows.map(({ exits }) => exits.map(({ to }) => to))),
    exitLinks: Uint32Array.from(rows.flatMap(({ exits }) => exits.map(({ links }) => links))),
    lost: Uint32Array.from(rows.map(({ lost }) => lost)),
  };
}

function targetsOf({ numbers, places }: Draft, isInside: (url: Url) => boolean): Url[] {
  const found = new Set<Url>();
  for (const row of places) {
    for (const url of row?.keys() ?? []) if (!numbers.has(url) && !isInside(url)) found.add(url);
  }
  return [...found].toSorted();
}
