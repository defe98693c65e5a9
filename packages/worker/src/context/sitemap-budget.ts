import type { HostKey, Job, Url } from '@webfarer/protocol';
import { hostOf } from '@webfarer/protocol/url';

/**
 * Sitemaps are no pages, so the budget of pages does not end an index of indexes without end. A host has as many
 * sitemaps read as pages, counted for each run of a crawl; one that is found again counts once.
 */
export interface SitemapBudget {
  readonly perHost: number;
  mayRead(url: Url): boolean;
}

/** Where the host has no budget of pages: what one sitemap index may name. */
const mostSitemaps = 50_000;

export function createSitemapBudget({ limits }: Pick<Job, 'limits'>): SitemapBudget {
  const perHost = limits.perHost.pages ?? mostSitemaps;
  const found = new Map<HostKey, Set<Url>>();
  return {
    perHost,
    mayRead(url) {
      const host = hostOf(url);
      let ofHost = found.get(host);
      if (!ofHost) found.set(host, (ofHost = new Set()));
      if (ofHost.has(url)) return true;
      if (ofHost.size >= perHost) return false;
      ofHost.add(url);
      return true;
    },
  };
}
