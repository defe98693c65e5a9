import { createHash } from 'node:crypto';
import type { CrawlId, Job, Url } from '@webfarer/protocol';
import { defaultTeam, shortestGapMs } from '@webfarer/protocol/job';
import type { FrontierCrawl } from '../../frontier/frontier.ts';

const URLS_PER_LEASE = 10;
/** A host without a gap is soon through with ten: a new lease and a new connection for each would be expensive. */
const URLS_PER_GAPLESS_LEASE = 50;

/** What is found meanwhile may be better than the rest of a lease, so an order is the truer the shorter leases are. */
const URLS_PER_ORDERED_LEASE = 3;

export function urlsPerLease({ politeness, order }: Job): number {
  if (order === 'best-first') return URLS_PER_ORDERED_LEASE;
  return politeness.gapMs === 0 ? URLS_PER_GAPLESS_LEASE : URLS_PER_LEASE;
}

/** A lease outlasts three of the longest fetches, so two renewals may fail before it runs out. */
export const leaseTtlOf = ({ fetch }: Job): number => fetch.timeoutMs * 3;

/**
 * What the frontier must know of a crawl. `ownCode`: the user's own program gives pages labels, which may change what happens on them.
 */
export function frontierCrawl(crawl: CrawlId, job: Job, ownCode: boolean): FrontierCrawl {
  const { limits, fetch, team = defaultTeam } = job;
  const ceilings: FrontierCrawl['limits'] = {};
  if (limits.pages !== undefined) ceilings.pages = limits.pages;
  if (limits.bytes !== undefined) ceilings.bytes = limits.bytes;
  if (limits.perHost.pages !== undefined) ceilings.hostPages = limits.perHost.pages;
  if (limits.perHost.bytes !== undefined) ceilings.hostBytes = limits.perHost.bytes;
  if (limits.perSite.pages !== undefined) ceilings.sitePages = limits.perSite.pages;
  if (limits.perSite.bytes !== undefined) ceilings.siteBytes = limits.perSite.bytes;
  return {
    id: crawl,
    team,
    // Where the job treats hosts otherwise, the pace of each lease says so.
    gapMs: shortestGapMs(job),
    leaseTtlMs: leaseTtlOf(job),
    maxFetchMs: fetch.timeoutMs,
    backoffMs: fetch.retries.backoffMs,
    deadAfter: fetch.retries.deadAfter,
    poisonAfter: fetch.retries.poisonAfter,
    upgrades: ownCode || job.scraper.kind === 'module',
    limits: ceilings,
  };
}

/** The job as workers may see it: where it is kept is none of their business, nor is the password to it. */
export function jobForWorkers({ store: _store, thresholds: _thresholds, ...job }: Job): Job {
  return { ...job, thresholds: [] };
}

/** Names a crawl with its job: workers that know another revision start over with this one. */
export function revisionOf(about: { nonce: string; job: Job; seeds: Url[]; userAgent: string }): string {
  const all = JSON.stringify([about.nonce, about.job, about.seeds, about.userAgent]);
  return createHash('sha256').update(all).digest('base64url');
}
