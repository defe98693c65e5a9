import type { Clock, CrawlId, Entry, Job, Reason, Url } from '@webfarer/protocol';
import type { Scope } from '@webfarer/protocol/url';
import type { NetworkWatch } from '../egress/network-watch.ts';
import type { RenderChoice } from './render-choice.ts';
import type { ReadyStep } from '../browser/steps/step.ts';
import type { LoadedFiles } from '../browser/loaded-files.ts';
import type { CookieJar } from '../fetch/cookies.ts';
import type { SiteLogins } from '../site-login/site-logins.ts';
import type { Fetch } from '../fetch/fetch.ts';
import type { Saver } from '../save/saver.ts';
import type { ItemVerdict } from '../scrape/item-schema.ts';
import type { BrowserHandler, BrowserRoutes } from '../scrape/in-browser.ts';
import type { ItemHook, ResponseHook, Scraper } from '../scrape/scraper.ts';
import type { Account } from '../shares/account.ts';
import type { StoredAnswers } from './stored-answers.ts';
import type { SitemapBudget } from './sitemap-budget.ts';
import type { TypePolicy } from './type-rules.ts';

/** What it takes to read an answer and run user code on it, wherever the answer comes from. */
export interface HandlingContext {
  job: Job;
  /** Pays for what its pages cost this process. */
  account: Account;
  clock: Clock;
  normalise: (text: string, base?: string) => Url | undefined;
  scope: Scope;
  /** The product name of the crawler, by which robots.txt groups and signals of a page are chosen. */
  agentToken: string;
  types: TypePolicy;
  /** Acts on pages in a browser; only a crawl has one, and stored pages stay as they were read. */
  inBrowser?: BrowserHandler | BrowserRoutes;
  /** Runs before the scraper, on the same page. */
  onResponse?: ResponseHook;
  scraper: Scraper;
  /** The scraper is the user's own: it chose what has a label. */
  ownCode?: boolean;
  /** May change or drop what the scraper pushed. */
  onItem?: ItemHook;
  /** Checks a pushed item; answers the stored value or what is wrong with it. */
  checkItem?: (item: unknown) => Promise<ItemVerdict>;
  onSkipped?: (url: string, reason: Reason) => void;
}

/** Everything a worker needs to work on one crawl, made once when the crawl is opened. */
export interface CrawlContext extends HandlingContext {
  crawl: CrawlId;
  /** The full User-Agent header. */
  userAgent: string;
  /** The proxy for a URL; undefined means direct. */
  proxyFor: (url: Url) => string | undefined;
  /** The job's own headers for a URL, credentials among them. */
  headersTo: (url: Url) => [string, string][];
  savers: Saver[];
  /** Present while a retry waits whose answers are in the folder. */
  stored?: StoredAnswers;
  /** The scraper follows every link of a page, whatever stands on it. */
  followsAll?: boolean;
  sitemaps: SitemapBudget;
  /** Learns for which pages a browser is worth its cost. */
  choice: RenderChoice;
  /** What is done on a page in a browser before it is read; empty for most. */
  stepsFor: (url: Url) => readonly ReadyStep[];
  /** Own code that acts on a page in a browser after its steps; undefined for most. */
  browserHandler: (entry: Entry) => BrowserHandler | undefined;
  /** What pages shown in a browser have loaded. */
  loaded: LoadedFiles;
  /** Where an origin's robots.txt led, while the other host could not be asked yet. */
  robotsHops: Map<string, { url: Url; hops: number }>;
  cookies?: CookieJar;
  /** Accounts that pages are read with; absent: none. */
  logins?: SiteLogins;
  onFailed?: (url: string, reason: Reason) => void;
  /** May add or change request headers, nothing else. */
  onRequest?: (url: Url, headers: Record<string, string>) => void;
}

/** A crawl, and its own way to the web: crawls may ask other name servers or trust other authorities. */
export interface WorkableCrawl {
  context: CrawlContext;
  fetch: Fetch;
  network: NetworkWatch;
  /** Resolves when requests can be made, with a lease of the crawl in hand; false: not now. */
  ready: () => Promise<boolean>;
}
