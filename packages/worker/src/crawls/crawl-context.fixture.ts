import { type CrawlId, type Job, systemClock, type Url } from '@webfarer/protocol';
import { renderChooser } from '@webfarer/protocol/job';
import { createScope, normaliser } from '@webfarer/protocol/url';
import { createLoadedFiles } from '../browser/loaded-files.ts';
import type { CrawlContext } from '../context/context.ts';
import { createRenderChoice } from '../context/render-choice.ts';
import { createSitemapBudget } from '../context/sitemap-budget.ts';
import { typePolicy } from '../context/type-rules.ts';
import { linksScraper } from '../scrape/built-in.ts';
import { openAccount } from '../shares/account.ts';

/** A crawl that follows every link and saves nothing, unless it is changed. */
export function contextFor(
  job: Job,
  seeds: readonly Url[],
  changes: Partial<CrawlContext> = {},
): CrawlContext {
  return {
    crawl: 'c' as CrawlId,
    job,
    account: openAccount(job.team),
    clock: systemClock(),
    normalise: normaliser(job.normalise),
    scope: createScope(job, [...seeds]),
    userAgent: 'webfarer/test',
    agentToken: 'webfarer',
    types: typePolicy(job.fetch.types),
    proxyFor: () => undefined,
    headersTo: () => [],
    savers: [],
    scraper: linksScraper(),
    sitemaps: createSitemapBudget(job),
    robotsHops: new Map(),
    loaded: createLoadedFiles(0),
    choice: createRenderChoice(renderChooser(job, [])),
    stepsFor: () => [],
    browserHandler: () => undefined,
    ...changes,
  };
}
