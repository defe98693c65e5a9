import type { HostKey } from '@webfarer/protocol';
import type { CrawlContext } from './context.ts';

/** Where the host has no budget of pages: what one sitemap index may name. */
const mostSitemaps = 50_000;

const counts = new WeakMap<CrawlContext, Map<HostKey, number>>();

/**
 * Sitemaps are no pages, so the budget of pages does not end an index of indexes without end. A host has as
 * many sitemaps read as pages, counted for each run of a crawl.
 */
export function mayReadSitemap(context: CrawlContext, host: HostKey): boolean {
  let ofCrawl = counts.get(context);
  if (!ofCrawl) counts.set(context, (ofCrawl = new Map()));
  const count = (ofCrawl.get(host) ?? 0) + 1;
  ofCrawl.set(host, count);
  return count <= (context.job.limits.perHost.pages ?? mostSitemaps);
}

const looked = new WeakMap<CrawlContext, Set<string>>();
/** More are forgotten: a sitemap that is offered again is known. */
const mostLooked = 100_000;

/** Whether the sitemaps that a robots.txt names were not offered yet in this run: somebody else may have read it. */
export function firstLookAt(origin: string, context: CrawlContext): boolean {
  let ofCrawl = looked.get(context);
  if (!ofCrawl) looked.set(context, (ofCrawl = new Set()));
  if (ofCrawl.has(origin)) return false;
  if (ofCrawl.size >= mostLooked) ofCrawl.clear();
  ofCrawl.add(origin);
  return true;
}
