import type { Clock, CrawlId, Job, Url } from '@webfarer/protocol';
import { createScope, hostOf, normaliser } from '@webfarer/protocol/url';
import { headerChooser, proxyChooser, robotsToken } from '@webfarer/protocol/job';
import type { CrawlContext, HandlingContext } from '../context/context.ts';
import type { CookieJar } from '../fetch/cookies.ts';
import { openSavers, type OpenSaversOptions } from '../save/savers/open-savers.ts';
import type { Saver } from '../save/saver.ts';
import type { CaptureSpool } from '../save/warc/warc-saver.ts';
import { extractingScraper } from '../fields/extracting-scraper.ts';
import { loadScraper } from '../scrape/load-scraper.ts';
import type { ItemHook, ResponseHook, Scraper } from '../scrape/scraper.ts';
import type { StoredRetries } from '../context/stored-retries.ts';
import { createSitemapBudget } from '../context/sitemap-budget.ts';
import { typePolicy } from '../context/type-rules.ts';

/** What only the library can give: user code that runs in the calling process. */
export interface Hooks {
  onPage?: Scraper;
  onResponse?: ResponseHook;
  onItem?: ItemHook;
  checkItem?: NonNullable<CrawlContext['checkItem']>;
  onSkipped?: NonNullable<CrawlContext['onSkipped']>;
  onFailed?: NonNullable<CrawlContext['onFailed']>;
  onRequest?: NonNullable<CrawlContext['onRequest']>;
  normalise?: (url: Url) => string;
}

export interface ContextOptions {
  crawl: CrawlId;
  job: Job;
  seeds: Url[];
  userAgent: string;
  baseFolder: string;
  folder: string;
  version: string;
  clock: Clock;
  cookies: CookieJar | undefined;
  stored?: StoredRetries | undefined;
  hooks: Hooks;
  /** This folder among several that share the crawl. */
  member?: string | undefined;
  /** Which of several processes this is, counted from 1. */
  process?: number | undefined;
  /** Where captures wait for a coordinator that wants them. */
  spool?: CaptureSpool | undefined;
}

/** What a crawl, a replay and a test of a handler have in common. */
export async function createHandling(
  options: Pick<ContextOptions, 'job' | 'seeds' | 'userAgent' | 'baseFolder' | 'clock' | 'hooks'>,
): Promise<HandlingContext> {
  const { job, hooks, clock, seeds } = options;
  const basic = normaliser(job.normalise);
  const { normalise: own, onSkipped } = hooks;
  const loaded = hooks.onPage ? { onPage: hooks.onPage } : await loadScraper(job.scraper, options.baseFolder);
  const { onPage: scraper, onResponse, onItem, checkItem } = { ...loaded, ...hooks };
  return {
    job,
    clock,
    // The user's own rule comes last and its answer is normalised again, so the result is always a Url.
    normalise: own ? (text, base) => then(basic(text, base), (url) => basic(own(url))) : basic,
    scope: createScope(job, seeds),
    agentToken: robotsToken(options.userAgent),
    types: typePolicy(job.fetch.types, job.files, seeds.map(hostOf)),
    scraper: extractingScraper(scraper ?? loaded.onPage, job.extract, seeds.map(hostOf)),
    ownCode: hooks.onPage !== undefined || job.scraper.kind === 'module',
    ...(onResponse ? { onResponse } : {}),
    ...(onItem ? { onItem } : {}),
    ...(checkItem ? { checkItem } : {}),
    ...(onSkipped ? { onSkipped } : {}),
  };
}

export async function createContext(options: ContextOptions): Promise<CrawlContext> {
  const { job, hooks, seeds } = options;
  const { onPage, onFailed, onRequest } = hooks;
  return {
    ...(await createHandling(options)),
    crawl: options.crawl,
    userAgent: options.userAgent,
    sitemaps: createSitemapBudget(job),
    robotsHops: new Map(),
    proxyFor: proxyChooser(job, seeds.map(hostOf)),
    headersTo: headerChooser(job, seeds.map(hostOf)),
    savers: savedBy(options.member, await openSavers(job.save, saverOptions(options))),
    followsAll: onPage === undefined && followsAll(job.scraper),
    ...(options.cookies ? { cookies: options.cookies } : {}),
    ...(options.stored ? { stored: options.stored } : {}),
    ...(onFailed ? { onFailed } : {}),
    ...(onRequest ? { onRequest } : {}),
  };
}

/** What savers must know, also where they are only mended. */
export function saverOptions(
  options: Omit<ContextOptions, 'crawl' | 'seeds' | 'cookies' | 'stored' | 'hooks'>,
): OpenSaversOptions {
  const { folder, baseFolder, clock, job, userAgent, process, member, spool } = options;
  return {
    folder,
    // Files of several folders may be put together one day.
    name: member === undefined ? job.name : `${job.name}-${member}`,
    software: `webfarer/${options.version}`,
    baseFolder,
    clock,
    info: [['http-header-user-agent', userAgent]],
    ...(process === undefined ? {} : { process }),
    ...(spool ? { spool } : {}),
  };
}

/** Records of several folders stand in one store: each says where its capture is. */
function savedBy(member: string | undefined, savers: Saver[]): Saver[] {
  if (member === undefined) return savers;
  return savers.map((saver) => ({
    name: saver.name,
    start: () => saver.start(),
    async save(capture) {
      const at = await saver.save(capture);
      return at && { ...at, member };
    },
    sync: () => saver.sync(),
    stop: () => saver.stop(),
    written: () => saver.written(),
  }));
}

function then<A, B>(value: A | undefined, next: (value: A) => B): B | undefined {
  return value === undefined ? undefined : next(value);
}

/** Without globs the links scraper follows whatever stands on a page. */
function followsAll(scraper: Job['scraper']): boolean {
  return scraper.kind === 'links' && scraper.follow.length === 0;
}
