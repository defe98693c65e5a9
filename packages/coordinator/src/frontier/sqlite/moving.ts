import type { PairRow } from './rows/host-state.ts';
import type { Store } from './store.ts';

/** Entries one sweep may move (F14, F16). */
export const sweepLimit = 500;

/**
 * One new entry of a host. A host that has a queue already is not written for it: the log of entries tells, until the entry
 * is listed. One with a place of its own is listed at once.
 */
export function appendQueued(store: Store, pair: PairRow, isListed: boolean): void {
  const { counters } = pair.crawl;
  if (pair.known === 0) counters.hosts++;
  pair.known++;
  counters.known++;
  if (isListed || pair.queued === 0 || pair.stored === undefined) return changeQueued(store, pair, 1);
  pair.queued++;
  counters.queued++;
  pair.crawl.dirty = true;
  store.hosts.fallBehind(pair);
}

/** Adds to what is queued for a host, or takes from it. Every change of that number passes here. */
export function changeQueued(store: Store, pair: PairRow, by: number): void {
  const { counters } = pair.crawl;
  const before = pair.queued;
  pair.queued += by;
  counters.queued += by;
  if (before === 0 && pair.queued > 0) {
    counters.hostsQueued++;
    pair.ready = store.clock.now();
  } else if (before > 0 && pair.queued === 0) {
    counters.hostsQueued--;
  }
  pair.crawl.dirty = true;
  store.hosts.touch(pair.host);
}

/** Adds to what is leased of a host, or takes from it. `pages` of them count towards the ceilings. */
export function changeLeased(store: Store, pair: PairRow, by: { count: number; pages: number }): void {
  const { counters } = pair.crawl;
  pair.leased += by.count;
  counters.leased += by.count;
  if (by.pages !== 0) {
    for (const sums of [counters, pair, pair.site]) sums.leasedPages += by.pages;
    store.hosts.sites.touch(pair.site);
  }
  pair.crawl.dirty = true;
  store.hosts.touch(pair.host);
}
