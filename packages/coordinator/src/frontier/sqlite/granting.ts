import type { HostLeaseAnswer, HostLeaseRequest, LeaseRequest } from '@webfarer/protocol';
import type { GrantAnswer } from '../frontier.ts';
import { clockOf, mustSettle } from './allowance.ts';
import { limitedBy } from './crawl-rows.ts';
import type { HostRow, PairRow } from './host-rows.ts';
import { expire, grant, hold } from './leasing.ts';
import type { Store } from './store.ts';
import { isFull } from './site-rows.ts';

/** Which hosts are due, read from the index by due time. */
export interface DueHosts {
  /** Up to `limit` hosts of a crawl that are due, longest waiting first. */
  due(crawl: number, now: number, limit: number): { host: number; due: number }[];
  first(crawl: number): number | undefined;
}

export function dueHosts({ db }: Store): DueHosts {
  const due = db.prepare('SELECT host, due FROM pairs WHERE crawl = ? AND due <= ? ORDER BY due LIMIT ?');
  const first = db.prepare('SELECT due FROM pairs WHERE crawl = ? AND due IS NOT NULL ORDER BY due LIMIT 1');
  return {
    due: (crawl, now, limit) => due.all(crawl, now, limit) as { host: number; due: number }[],
    first: (crawl) => (first.get(crawl) as { due: number } | undefined)?.due,
  };
}

/** Asked and not yet served: more of the index is read when hosts drop out on a closer look. */
const lookAhead = 8;

export function leaseHosts(store: Store, index: DueHosts, request: LeaseRequest): GrantAnswer {
  const answer: GrantAnswer = { leases: [], nextDueMs: null, limited: [] };
  const looked = new Set<number>();
  while (answer.leases.length < request.hosts) {
    const wanted = request.hosts - answer.leases.length + lookAhead;
    const fresh = candidates(store, index, { limit: wanted + looked.size }).filter((id) => !looked.has(id));
    if (fresh.length === 0) break;
    for (const id of fresh) {
      if (answer.leases.length >= request.hosts) break;
      looked.add(id);
      const host = store.hosts.byId(id);
      const pair = nextTurn(store, host);
      // Not grantable on a closer look: touching it moves it to where it belongs in the index.
      if (!pair) store.hosts.touch(host);
      else answer.leases.push(grant(store, pair, { worker: request.worker, urls: request.urlsPerHost }));
    }
  }
  return Object.assign(answer, outlook(store, index));
}

/** Due hosts of all crawls that may be served, by due time. */
function candidates(store: Store, index: DueHosts, { limit }: { limit: number }): number[] {
  store.flush();
  const now = store.clock.now();
  const found = store.crawls
    .running()
    .filter((crawl) => limitedBy(crawl) === undefined)
    .flatMap((crawl) => index.due(crawl.id, now, limit));
  return [...new Set(found.sort((a, b) => a.due - b.due).map(({ host }) => host))];
}

/** Of the crawls that may be served on this host now, the one whose last turn is longest ago (F3). */
function nextTurn(store: Store, host: HostRow): PairRow | undefined {
  const now = store.clock.now();
  const held = store.hosts.hold(host);
  if (held && now < held.heldUntil) return undefined;
  // A sweep has not come by since the lease ran out.
  if (held && !held.over) expire(store, held);
  let best: PairRow | undefined;
  for (const pair of host.pairs) {
    if (!isServable(pair) || clockOf(host, pair.crawl, held) > now) continue;
    if (!best || pair.turn < best.turn) best = pair;
  }
  return best;
}

function isServable(pair: PairRow): boolean {
  if (pair.queued === 0 || pair.crawl.state !== 'running' || limitedBy(pair.crawl)) return false;
  return mustSettle(pair) === undefined && !isFull(pair.site);
}

/** When to ask again, and who was refused by a ceiling of its own. */
function outlook(store: Store, index: DueHosts): Pick<GrantAnswer, 'nextDueMs' | 'limited'> {
  store.flush();
  const now = store.clock.now();
  const limited: GrantAnswer['limited'] = [];
  let next = Number.POSITIVE_INFINITY;
  for (const crawl of store.crawls.running()) {
    const due = index.first(crawl.id);
    if (due === undefined) continue;
    const by = limitedBy(crawl);
    if (!by) next = Math.min(next, due);
    else if (due <= now) limited.push({ crawl: crawl.key, by });
  }
  return { limited, nextDueMs: next === Number.POSITIVE_INFINITY ? null : Math.max(0, next - now) };
}

/** How long to wait when it is not the clocks but the crawl's state that says no. */
const askAgainMs = 1000;

export function leaseOneHost(store: Store, request: HostLeaseRequest): HostLeaseAnswer {
  const crawl = store.crawls.get(request.crawl);
  if (crawl.state !== 'running') return { granted: false, retryAfterMs: askAgainMs };
  const host = store.hosts.ensure(request.host);
  const now = store.clock.now();
  const held = store.hosts.hold(host);
  const from = clockOf(host, crawl, held);
  if (from > now) return { granted: false, retryAfterMs: from - now };
  if (held && !held.over) expire(store, held);
  const { worker } = request;
  const lease = hold(store, host, { crawl, worker });
  store.hosts.ensurePair(host, crawl).turn = lease.fence;
  return { granted: true, lease };
}
