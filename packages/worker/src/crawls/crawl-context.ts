import type { DatedClock, CrawlId, Job, Url } from '@webfarer/protocol';
import type { ObjectPlace } from '../objects/object-place.ts';
import { createScope, hostOf, normaliser } from '@webfarer/protocol/url';
import { renderChooser, robotsToken } from '@webfarer/protocol/job';
import type { CrawlContext, HandlingContext } from '../context/context.ts';
import type { RequestRules } from './request-rules.ts';
import { stepChooser } from './step-chooser.ts';
import { createLoadedFiles } from '../browser/loaded-files.ts';
import type { CookieJar } from '../fetch/cookies.ts';
import type { OpenCaptureStore } from '../archive/redis/capture-store.ts';
import { openSavers, type OpenSaversOptions } from '../save/savers/open-savers.ts';
import type { Saver } from '../save/saver.ts';
import type { CaptureSpool } from '../save/warc/warc-saver.ts';
import { callOwn } from '../page/own-code.ts';
import { guardedSaver } from './own-saver.ts';
import { extractingScraper } from '../fields/extracting-scraper.ts';
import { loadScraper } from '../scrape/load-scraper.ts';
import {
  type BrowserHandler,
  browserHandlerOf,
  type BrowserRoutes,
  requireRender,
} from '../scrape/in-browser.ts';
import type { ItemHook, ResponseHook, Scraper } from '../scrape/scraper.ts';
import { createRenderChoice } from '../context/render-choice.ts';
import { openAccount } from '../shares/account.ts';
import type { SiteLogin } from '../site-login/site-login.ts';
import { carryLogins } from '../site-login/site-logins.ts';
import type { StoredAnswers } from '../context/stored-answers.ts';
import { createSitemapBudget } from '../context/sitemap-budget.ts';
import { typePolicy } from '../context/type-rules.ts';

/** What only the library can give: user code that runs in the calling process. */
export interface Hooks {
  inBrowser?: BrowserHandler | BrowserRoutes;
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
  clock: DatedClock;
  requests: RequestRules;
  cookies: CookieJar | undefined;
  /** Accounts that pages are read with. */
  logins?: readonly SiteLogin[];
  stored?: StoredAnswers | undefined;
  hooks: Hooks;
  /** A variable of this machine's environment that steps may type. */
  typedText: (name: string) => string | undefined;
  /** This folder among several that share the crawl. */
  member?: string | undefined;
  /** Which of several processes this is, counted from 1. */
  process?: number | undefined;
  /** Where in object storage the archive of the crawl is. */
  objects?: ObjectPlace | undefined;
  /** The server that captures go to where a job says redis. */
  captureStore?: OpenCaptureStore | undefined;
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
  const account = openAccount(job.team, job.name);
  const seedHosts = seeds.map(hostOf);
  const { onPage: scraper, onResponse, onItem, checkItem, inBrowser } = { ...loaded, ...hooks };
  return {
    job,
    account,
    clock,
    // The user's own rule comes last and its answer is normalised again, so the result is always a Url.
    normalise: own ? (text, base) => then(basic(text, base), (url) => basic(ownUrl(own, url))) : basic,
    scope: createScope(job, seeds),
    agentToken: robotsToken(options.userAgent),
    types: typePolicy(job.fetch.types, job.files, seedHosts),
    scraper: extractingScraper(scraper ?? loaded.onPage, job.extract, { seedHosts, account }),
    ownCode: hooks.onPage !== undefined || job.scraper.kind === 'module',
    ...(inBrowser ? { inBrowser } : {}),
    ...(onResponse ? { onResponse } : {}),
    ...(onItem ? { onItem } : {}),
    ...(checkItem ? { checkItem } : {}),
    ...(onSkipped ? { onSkipped } : {}),
  };
}

/** For scripts and style sheets that many pages of a crawl share. */
const loadedBytes = 33_554_432;

export async function createContext(options: ContextOptions): Promise<CrawlContext> {
  const { job, hooks, seeds, cookies, logins = [] } = options;
  const { onPage, onFailed, onRequest } = hooks;
  const plain = { ...(cookies ? { cookies } : {}), headersTo: options.requests.headersTo };
  const handling = await createHandling(options);
  requireRender(job, handling.inBrowser);
  return {
    ...handling,
    browserHandler: browserHandlerOf(handling.inBrowser),
    crawl: options.crawl,
    userAgent: options.userAgent,
    sitemaps: createSitemapBudget(job),
    loaded: createLoadedFiles(loadedBytes),
    choice: createRenderChoice(renderChooser(job, seeds.map(hostOf))),
    stepsFor: stepChooser({ rules: job.steps, seedHosts: seeds.map(hostOf), typedText: options.typedText }),
    robotsHops: new Map(),
    proxyFor: options.requests.proxyFor,
    ...(logins.length > 0 ? carryLogins(plain, logins) : plain),
    savers: savedBy(options.member, guarded(job.save, await openSavers(job.save, saverOptions(options)))),
    followsAll: onPage === undefined && followsAll(job.scraper),
    ...(options.stored ? { stored: options.stored } : {}),
    ...(onFailed ? { onFailed } : {}),
    ...(onRequest ? { onRequest } : {}),
  };
}

/** In the order of the job. */
function guarded(targets: Job['save'], savers: readonly Saver[]): Saver[] {
  return savers.map((saver, at) => (targets[at]?.kind === 'module' ? guardedSaver(saver) : saver));
}

/** What savers must know, also where they are only mended. */
export function saverOptions(
  options: Omit<
    ContextOptions,
    'crawl' | 'seeds' | 'requests' | 'cookies' | 'logins' | 'stored' | 'hooks' | 'typedText'
  >,
): OpenSaversOptions {
  const { folder, baseFolder, clock, job, userAgent, process, member, spool, objects, captureStore } =
    options;
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
    ...(objects ? { objects } : {}),
    ...(captureStore ? { captureStore } : {}),
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

/** Its answer, which must be a text. */
function ownUrl(own: NonNullable<Hooks['normalise']>, url: Url): string {
  return callOwn('normalise', () => {
    const answer: unknown = own(url);
    if (typeof answer === 'string') return answer;
    throw new TypeError(`it returned ${typeof answer} for ${url}; it must return a URL`);
  });
}

function then<A, B>(value: A | undefined, next: (value: A) => B): B | undefined {
  return value === undefined ? undefined : next(value);
}

/** Without globs the links scraper follows whatever stands on a page. */
function followsAll(scraper: Job['scraper']): boolean {
  return scraper.kind === 'links' && scraper.follow.length === 0;
}
