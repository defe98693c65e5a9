import type { Clock, CrawlId, CrawlSnapshot, Job } from '@webfarer/protocol';
import type { Frontier } from '../../frontier/frontier.ts';
import type { LeaseCount } from '../../link/lease-roster.ts';
import { leaseTtlOf, urlsPerLease } from '../job/crawl-settings.ts';

export interface AbandonedOptions {
  crawl: CrawlId;
  clock: Clock;
  job: () => Job;
  /** Undefined: no workers come from other machines. */
  network: { othersServe: () => boolean } | undefined;
  /** Undefined: the crawl is kept in its folder, where no others work on it. */
  shared: object | undefined;
  frontier: Pick<Frontier, 'epoch'>;
}

/** Tells which URLs are leased by workers that will not bring them. It asks the store nothing. */
export interface AbandonedLeases {
  /** `leased`: URLs, by the store. `inFlight`: requests of workers that are connected here. */
  of(
    seen: { leased: number; inFlight: number },
    leases: LeaseCount,
  ): Pick<CrawlSnapshot, 'abandoned' | 'abandonedForMs'>;
}

/** Workers need a moment to connect again, and other coordinators to be heard of. */
const CONNECTING_MS = 5_000;
/** What the store says of a crawl that changes may be so old. Until then it still counts what workers have brought since. */
const STALE_MS = 3_000;

/**
 * In a store only what is older than its epoch and than this process can be judged: nobody here has granted it. It returns when
 * its leases have run out. Where another coordinator has workers, it may be theirs, so nothing is said.
 */
export function watchAbandoned(options: AbandonedOptions): AbandonedLeases {
  const { crawl, clock, job, network, shared, frontier } = options;
  let epoch = frontier.epoch(crawl);
  let sinceMs = clock.now();

  /** At most so many URLs were in leases of connected workers when the store was asked. */
  let had: { atMs: number; urls: number }[] = [];
  function mostHad({ urls, unknown }: LeaseCount): number {
    const nowMs = clock.now();
    had = had.filter(({ atMs }) => nowMs - atMs < STALE_MS);
    had.push({ atMs: nowMs, urls: urls + unknown * urlsPerLease(job()) });
    return Math.max(...had.map((look) => look.urls));
  }

  function inStore(leased: number, leases: LeaseCount): ReturnType<AbandonedLeases['of']> {
    const now = frontier.epoch(crawl);
    if (now !== epoch) [epoch, sinceMs] = [now, clock.now()];
    const ageMs = clock.now() - sinceMs;
    const leftMs = leaseTtlOf(job()) - ageMs;
    if (leftMs <= 0) return {};
    const abandoned = leased - mostHad(leases);
    if (ageMs < CONNECTING_MS || network?.othersServe()) return {};
    return abandoned > 0 ? { abandoned, abandonedForMs: Math.round(leftMs) } : {};
  }

  return {
    of({ leased, inFlight }, leases) {
      if (!network || leased === 0) return {};
      if (shared) return inStore(leased, leases);
      return leases.awaited === 0 && inFlight === 0 ? { abandoned: leased } : {};
    },
  };
}
