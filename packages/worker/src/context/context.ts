import type { Clock, CrawlId, Job, Reason, Url } from '@webfarer/protocol';
import type { Scope } from '@webfarer/protocol/url';
import type { NetworkWatch } from '../egress/network-watch.ts';
import type { CookieJar } from '../fetch/cookies.ts';
import type { Fetch } from '../fetch/fetch.ts';
import type { Saver } from '../save/saver.ts';
import type { Scraper } from '../scrape/scraper.ts';
import type { SitemapBudget } from './sitemap-budget.ts';
import type { TypePolicy } from './type-rules.ts';

/** Everything a worker needs to work on one crawl, made once when the crawl is opened. */
export interface CrawlContext {
  crawl: CrawlId;
  job: Job;
  clock: Clock;
  normalise: (text: string, base?: string) => Url | undefined;
  scope: Scope;
  /** The full User-Agent header. */
  userAgent: string;
  /** The product name in it, by which robots.txt groups are chosen. */
  agentToken: string;
  types: TypePolicy;
  /** The proxy for a URL; undefined means direct. */
  proxyFor: (url: Url) => string | undefined;
  /** The job's own headers for a URL, credentials among them. */
  headersTo: (url: Url) => [string, string][];
  savers: Saver[];
  scraper: Scraper;
  /** The scraper is the user's own: it chose what has a label. */
  ownCode?: boolean;
  /** The scraper follows every link of a page, whatever stands on it. */
  followsAll?: boolean;
  /** Checks a pushed item; answers the stored value or what is wrong with it. */
  checkItem?: (item: unknown) => Promise<ItemVerdict>;
  sitemaps: SitemapBudget;
  /** Where an origin's robots.txt led, while the other host could not be asked yet. */
  robotsHops: Map<string, { url: Url; hops: number }>;
  cookies?: CookieJar;
  onSkipped?: (url: string, reason: Reason) => void;
  onFailed?: (url: string, reason: Reason) => void;
  /** May add or change request headers, nothing else. */
  onRequest?: (url: Url, headers: Record<string, string>) => void;
}

/** A crawl, and its own way to the web: crawls may ask other name servers or trust other authorities. */
export interface WorkableCrawl {
  context: CrawlContext;
  fetch: Fetch;
  network: NetworkWatch;
}

export type ItemVerdict = { ok: true; value: unknown } | { ok: false; problem: string };
