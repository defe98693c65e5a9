import { dirname, resolve } from 'node:path';
import type { FrontierCrawl } from '@webfarer/coordinator';
import type { Clock, CrawlId, Job, Url } from '@webfarer/protocol';
import { headerChooser, proxyChooser, robotsToken } from '@webfarer/protocol/job';
import { createScope, hostOf, normaliser } from '@webfarer/protocol/url';
import {
  type CaptureSpool,
  type CrawlContext,
  type CookieJar,
  loadScraper,
  type OpenNames,
  openSavers,
  type OpenSaversOptions,
  type Saver,
  type Scraper,
  typePolicy,
} from '@webfarer/worker';

/** What only the library can give: user code that runs in the calling process. */
export interface Hooks {
  onPage?: Scraper;
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
  hooks: Hooks;
  /** This folder among several that share the crawl. */
  member?: string | undefined;
  /** Which of several processes this is, counted from 1. */
  process?: number;
  /** Where several processes get their file names from. */
  openNames?: OpenNames;
  /** Where captures wait for a coordinator that wants them. */
  spool?: CaptureSpool;
}

export async function createContext(options: ContextOptions): Promise<CrawlContext> {
  const { job, hooks, clock } = options;
  const basic = normaliser(job.normalise);
  const { normalise: own, onPage, ...told } = hooks;
  return {
    crawl: options.crawl,
    job,
    clock,
    // The user's own rule comes last and its answer is normalised again, so the result is always a Url.
    normalise: own ? (text, base) => then(basic(text, base), (url) => basic(own(url))) : basic,
    scope: createScope(job, options.seeds),
    userAgent: options.userAgent,
    agentToken: robotsToken(options.userAgent),
    robotsHops: new Map(),
    types: typePolicy(job.fetch.types),
    proxyFor: proxyChooser(job, options.seeds.map(hostOf)),
    headersTo: headerChooser(job, options.seeds.map(hostOf)),
    savers: savedBy(options.member, await openSavers(job.save, saverOptions(options))),
    scraper: onPage ?? (await loadScraper(job.scraper, options.baseFolder)),
    followsAll: onPage === undefined && followsAll(job.scraper),
    ...(options.cookies ? { cookies: options.cookies } : {}),
    ...told,
  };
}

/** What savers must know, also where they are only mended. */
export function saverOptions(
  options: Omit<ContextOptions, 'crawl' | 'seeds' | 'cookies' | 'hooks'>,
): OpenSaversOptions {
  const { folder, baseFolder, clock, job, userAgent, process, openNames, member, spool } = options;
  return {
    folder,
    // Files of several folders may be put together one day.
    name: member === undefined ? job.name : `${job.name}-${member}`,
    software: `webfarer/${options.version}`,
    baseFolder,
    clock,
    info: [['http-header-user-agent', userAgent]],
    ...(process === undefined ? {} : { process }),
    ...(openNames ? { openNames } : {}),
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

export function baseFolderOf(jobPath: string | undefined): string {
  return jobPath === undefined ? process.cwd() : dirname(resolve(jobPath));
}

/** A lease outlasts three of the longest fetches, so two renewals may fail before it runs out. */
export function frontierCrawl(crawl: CrawlId, job: Job, hooks: Hooks = {}): FrontierCrawl {
  const { limits, politeness, fetch } = job;
  const ceilings: FrontierCrawl['limits'] = {};
  if (limits.pages !== undefined) ceilings.pages = limits.pages;
  if (limits.bytes !== undefined) ceilings.bytes = limits.bytes;
  if (limits.perHost.pages !== undefined) ceilings.hostPages = limits.perHost.pages;
  if (limits.perHost.bytes !== undefined) ceilings.hostBytes = limits.perHost.bytes;
  if (limits.perSite.pages !== undefined) ceilings.sitePages = limits.perSite.pages;
  if (limits.perSite.bytes !== undefined) ceilings.siteBytes = limits.perSite.bytes;
  return {
    id: crawl,
    gapMs: politeness.gapMs,
    leaseTtlMs: fetch.timeoutMs * 3,
    maxFetchMs: fetch.timeoutMs,
    backoffMs: fetch.retries.backoffMs,
    deadAfter: fetch.retries.deadAfter,
    poisonAfter: fetch.retries.poisonAfter,
    // Only the user's own code gives labels that change what happens on a page.
    upgrades: hooks.onPage !== undefined || job.scraper.kind === 'module',
    limits: ceilings,
  };
}

function then<A, B>(value: A | undefined, next: (value: A) => B): B | undefined {
  return value === undefined ? undefined : next(value);
}

/** Without globs the links scraper follows whatever stands on a page. */
function followsAll(scraper: Job['scraper']): boolean {
  return scraper.kind === 'links' && scraper.follow.length === 0;
}
