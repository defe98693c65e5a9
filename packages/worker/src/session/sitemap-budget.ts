import type { HostKey, Url } from '@webfarer/protocol';
import { hostOf } from '@webfarer/protocol/url';
import type { CrawlContext } from '../context.ts';

/** Where the host has no budget of pages: what one sitemap index may name. */
const mostSitemaps = 50_000;

const found = new WeakMap<CrawlContext, Map<HostKey, Set<Url>>>();

/**
 * Sitemaps are no pages, so the budget of pages does not end an index of indexes without end. A host has as many
 * sitemaps read as pages, counted for each run of a crawl; one that is found again counts once.
 */
export function mayReadSitemap(context: CrawlContext, url: Url): boolean {
  let ofCrawl = found.get(context);
  if (!ofCrawl) found.set(context, (ofCrawl = new Map()));
  const host = hostOf(url);
  let ofHost = ofCrawl.get(host);
  if (!ofHost) ofCrawl.set(host, (ofHost = new Set()));
  if (ofHost.has(url)) return true;
  if (ofHost.size >= mostSitemapsOf(context)) return false;
  ofHost.add(url);
  return true;
}

/** Of one host. */
export function mostSitemapsOf({ job }: CrawlContext): number {
  return job.limits.perHost.pages ?? mostSitemaps;
}
