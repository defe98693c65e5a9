import { dirname, resolve } from 'node:path';
import type { FrontierCrawl } from '@webfarer/coordinator';
import type { CrawlId, Job } from '@webfarer/protocol';
import type { Hooks } from '@webfarer/worker';

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
