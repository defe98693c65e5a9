import type { HostLease, LeaseRef, RenewAnswer, RobotsCopy, WorkerId } from '@webfarer/protocol';
import { originOf } from '@webfarer/protocol/url';
import { pagesLeft } from './rows/allowance.ts';
import type { CrawlRow } from './rows/crawls.ts';
import { kindOf } from './rows/entries.ts';
import { type Hold, leaseId } from './rows/holds.ts';
import type { HostRow, PairRow } from './rows/host-state.ts';
import { changeLeased, changeQueued, sweepLimit } from './moving.ts';
import { chargeInHand } from './poison.ts';
import type { Store } from './store.ts';

/** Gives the host to a worker with up to `urls` entries. The caller has checked clocks and ceilings. */
export function grant(
  store: Store,
  pair: PairRow,
  { worker, urls }: { worker: WorkerId; urls: number },
): HostLease {
  const { host, crawl } = pair;
  const pages = pagesLeft(pair);
  let granted = 0;
  const lease = hold(store, host, { crawl, worker });
  const held = store.hosts.hold(host) as Hold;
  held.open = new Map();
  for (const id of store.queue.front(pair.id, urls)) {
    const row = store.entries.get(id);
    if (!row) throw new Error(`queued entry ${id} is not stored`);
    const isPage = kindOf(row.bits) === 'page';
    // Whoever may have ended a worker is leased alone.
    if (row.deaths !== null && held.entries.length > 0) break;
    if (isPage && granted >= pages) break;
    const entry = store.entries.toEntry(row, host.key);
    held.entries.push(id);
    held.open.set(entry.url, row);
    lease.entries.push(entry);
    if (isPage) granted++;
    if (row.deaths !== null) break;
  }
  changeQueued(store, pair, -held.entries.length);
  changeLeased(store, pair, { count: held.entries.length, pages: granted });
  pair.turn = lease.fence;
  for (const origin of new Set(lease.entries.map((entry) => originOf(entry.url)))) {
    const copy = store.robots.get(origin);
    if (copy) lease.robots.push(copy);
  }
  return lease;
}

/** Takes the host for a worker, with no URLs yet. */
export function hold(
  store: Store,
  host: HostRow,
  { crawl, worker }: { crawl: CrawlRow; worker: WorkerId },
): HostLease {
  const earlier = store.hosts.hold(host);
  if (earlier) outlive(store, earlier);
  const fence = store.nextFence();
  const granted = store.clock.now();
  store.hosts.holds.put({
    hostId: host.id,
    crawlId: crawl.id,
    fence,
    worker,
    granted,
    over: false,
    begun: false,
    entries: [],
    again: new Set(),
    ...deadlines(crawl, granted),
  });
  store.hosts.touch(host);
  crawl.dirty = true;
  const ttlMs = crawl.settings.leaseTtlMs;
  const robots: RobotsCopy[] = [];
  return {
    id: leaseId(store.mark, fence),
    crawl: crawl.key,
    host: host.key,
    fence,
    part: 0,
    ttlMs,
    endedAgoMs: host.lastEnd === 0 ? null : Math.max(0, granted - host.lastEnd),
    entries: [],
    robots,
  };
}

function deadlines(crawl: CrawlRow, now: number): { deadline: number; heldUntil: number } {
  const { leaseTtlMs, maxFetchMs, gapMs } = crawl.settings;
  return { deadline: now + leaseTtlMs, heldUntil: now + leaseTtlMs + maxFetchMs + gapMs };
}

export interface LiveLease {
  host: HostRow;
  hold: Hold;
  crawl: CrawlRow;
}

/** The lease if it is still the host's own and its time has not run out. */
export function liveLease(store: Store, ref: LeaseRef): LiveLease | undefined {
  const host = store.hosts.byKey(ref.host);
  const found = host && store.hosts.hold(host);
  if (!found || found.over || found.fence !== ref.fence || leaseId(store.mark, found.fence) !== ref.id)
    return undefined;
  const crawl = store.crawls.byId(found.crawlId);
  if (crawl.key !== ref.crawl || store.clock.now() >= found.deadline) return undefined;
  return { host, hold: found, crawl };
}

export function renewOne(store: Store, ref: LeaseRef): RenewAnswer {
  const live = liveLease(store, ref);
  if (!live) return { ok: false };
  if (!prolong(store, live.hold)) return { ok: false };
  return { ok: true, ttlMs: live.crawl.settings.leaseTtlMs };
}

/** After a longer absence its holders have given up too: what they held is free. */
export function renewAll(store: Store): number {
  const now = store.clock.now();
  let count = 0;
  for (const lease of store.hosts.holds.all()) {
    const crawl = store.crawls.byId(lease.crawlId);
    if (lease.over || now >= lease.deadline + crawl.settings.leaseTtlMs) continue;
    if (prolong(store, lease)) count++;
  }
  return count;
}

/** The lease begins anew. False: the host is another crawl's by now, so the lease is over. */
function prolong(store: Store, lease: Hold): boolean {
  const host = store.hosts.byId(lease.hostId);
  const crawl = store.crawls.byId(lease.crawlId);
  const kept = store.claims.extend(host, crawl);
  if (kept) store.hosts.holds.put(Object.assign(lease, deadlines(crawl, store.clock.now())));
  else expire(store, lease);
  store.hosts.touch(host);
  return kept;
}

/** Puts the unsettled entries of a lease back. They never left their place in the queue, and nothing is charged. */
export function giveBack(store: Store, lease: Hold): number {
  const host = store.hosts.byId(lease.hostId);
  const crawl = store.crawls.byId(lease.crawlId);
  const pair = store.hosts.pairOf(host, crawl);
  const count = lease.entries.length;
  if (pair && count > 0) {
    changeLeased(store, pair, { count: -count, pages: -pagesAmong(store, lease.entries) });
    changeQueued(store, pair, count);
  }
  lease.entries = [];
  lease.open?.clear();
  store.hosts.touch(host);
  return count;
}

function pagesAmong(store: Store, ids: number[]): number {
  return ids.filter((id) => kindOf(store.entries.get(id)?.bits ?? 0) === 'page').length;
}

/** Nobody will come back with this lease: its entry in hand is charged, the rest goes back. */
function abandon(store: Store, lease: Hold): number {
  if (!lease.over) chargeInHand(store, lease);
  return giveBack(store, lease);
}

/** The deadline has passed: the entries go back, the host stays held until its longest fetch and gap are over. */
export function expire(store: Store, lease: Hold): number {
  const count = abandon(store, lease);
  store.hosts.holds.put(Object.assign(lease, { over: true }));
  return count;
}

/** The worker has closed the lease, and talks to the host no more. */
export function free(store: Store, lease: Hold): void {
  giveBack(store, lease);
  store.hosts.holds.remove(lease);
  store.claims.release(store.hosts.byId(lease.hostId), store.clock.now());
}

/** The worker is dead. */
export function freeAbandoned(store: Store, lease: Hold): void {
  abandon(store, lease);
  store.hosts.holds.remove(lease);
}

/** Nobody came back before the hold was over: its end is what the host was last waiting for. */
export function outlive(store: Store, lease: Hold): void {
  const host = store.hosts.byId(lease.hostId);
  if (lease.heldUntil > host.notBefore)
    Object.assign(host, { notBefore: lease.heldUntil, why: 'held', dirty: true });
  freeAbandoned(store, lease);
}

/** Ends leases past their deadline, and holds that are over by themselves. Bounded. */
export function expireLeases(store: Store): { leases: number; entries: number; more: boolean } {
  const now = store.clock.now();
  let leases = 0;
  let entries = 0;
  for (const lease of store.hosts.holds.all()) {
    if (entries >= sweepLimit) return { leases, entries, more: true };
    if (lease.over && now >= lease.heldUntil) outlive(store, lease);
    if (lease.over || now < lease.deadline) continue;
    entries += expire(store, lease);
    leases++;
  }
  return { leases, entries, more: false };
}
