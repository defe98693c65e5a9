import type { HostLeaseAnswer, HostLeaseRequest } from '@webfarer/protocol';
import { droppedReasons } from '@webfarer/protocol/crawl';
import { defaultTeam } from '@webfarer/protocol/job';
import type { GrantAnswer, GrantRequest } from '../frontier.ts';
import { clockOf, mustSettle } from './rows/allowance.ts';
import { type CrawlRow, limitedBy } from './rows/crawls.ts';
import type { HostRow, PairRow } from './rows/host-state.ts';
import { expire, expireLeases, grant, hold } from './leasing.ts';
import { delay } from './reporting.ts';
import type { Store } from './store.ts';
import { isFull } from './rows/sites.ts';

/** Which hosts are due, read from the index by due time. */
export interface DueHosts {
  /** Up to `limit` hosts of a crawl that are due, longest waiting first. */
  due(crawl: number, now: number, limit: number): DueHost[];
  first(crawl: number): DueHost | undefined;
}

interface DueHost {
  host: number;
  crawl: number;
  due: number;
}

export function dueHosts({ db }: Store): DueHosts {
  const due = db.prepare(
    'SELECT host, crawl, due FROM pairs WHERE crawl = ? AND due <= ? ORDER BY due LIMIT ?',
  );
  const first = db.prepare(
    'SELECT host, crawl, due FROM pairs WHERE crawl = ? AND due IS NOT NULL ORDER BY due LIMIT 1',
  );
  return {
    due: (crawl, now, limit) => due.all(crawl, now, limit) as unknown as DueHost[],
    first: (crawl) => first.get(crawl) as DueHost | undefined,
  };
}

/** Hosts that other crawls have, tried in one call: so many take a few milliseconds. The rest is tried with the next. */
const mostRefused = 64;
/** Read beyond what was asked for, because some hosts drop out on a closer look. */
const lookAhead = 8;

export function leaseHosts(store: Store, index: DueHosts, request: GrantRequest): GrantAnswer {
  const answer: GrantAnswer = { leases: [], nextDueMs: null, limited: [] };
  expireLeases(store);
  const asking = store.crawls.running().filter(({ key }) => request.crawls?.includes(key) ?? true);
  const looked = new Set<string>();
  let refused = 0;
  let more = true;
  while (more && answer.leases.length < request.hosts) {
    const limit = request.hosts - answer.leases.length + lookAhead + looked.size;
    more = false;
    for (const found of candidates(store, index, { asking, limit })) {
      const key = `${found.crawl} ${found.host}`;
      if (answer.leases.length >= request.hosts) break;
      if (looked.has(key)) continue;
      looked.add(key);
      more = true;
      const pair = nextTurn(store, found, asking);
      if (!pair) continue;
      if (!claims(store, pair.host, pair.crawl)) {
        more = ++refused < mostRefused;
        if (more) continue;
        break;
      }
      answer.leases.push(grant(store, pair, { worker: request.worker, urls: request.urlsPerHost }));
      // Its ceiling is reached now: the others are looked up anew, without it.
      if (limitedBy(pair.crawl)) break;
    }
  }
  return Object.assign(answer, outlook(store, index, asking));
}

/** Whether the other crawls of this machine leave the host to this one; if not, it waits as long as the ledger says. */
function claims(store: Store, host: HostRow, crawl: CrawlRow): boolean {
  const answer = store.claims.claim(host, crawl);
  if (answer.claimed) return true;
  delay(host, store.clock.now() + answer.retryAfterMs, answer.why);
  store.hosts.touch(host);
  return false;
}

/** Due hosts of all crawls that may be served, by due time. */
function candidates(
  store: Store,
  index: DueHosts,
  { asking, limit }: { asking: readonly CrawlRow[]; limit: number },
): DueHost[] {
  store.flush();
  const now = store.clock.now();
  return asking
    .filter((crawl) => limitedBy(crawl) === undefined)
    .flatMap((crawl) => index.due(crawl.id, now, limit))
    .toSorted((a, b) => a.due - b.due);
}

/**
 * Of the teams that have something to fetch on a due host the one whose last turn is longest ago is next, and of its crawls
 * that may be served likewise (F3).
 */
function nextTurn(
  store: Store,
  { host: id, crawl }: DueHost,
  asking: readonly CrawlRow[],
): PairRow | undefined {
  const host = store.hosts.byId(id);
  const now = store.clock.now();
  const held = store.hosts.hold(host);
  // Not grantable on a closer look: touching it moves it to where it belongs in the index.
  store.hosts.touch(host);
  if (held && now < held.heldUntil) return undefined;
  // More ran out than one step may move.
  if (held && !held.over) expire(store, held);
  const sharing = host.pairs.filter((pair) => asking.includes(pair.crawl) && isServable(pair));
  const servable = sharing.filter((pair) => clockOf(host, pair.crawl, held) <= now);
  if (!servable.some((pair) => pair.crawl.id === crawl)) return undefined;
  const turns = turnsOfTeams(sharing);
  return servable.reduce((best, pair) => (comesBefore(pair, best, turns) ? pair : best));
}

const teamOf = ({ crawl }: PairRow): string => crawl.settings.team ?? defaultTeam;

function turnsOfTeams(pairs: readonly PairRow[]): Map<string, number> {
  const turns = new Map<string, number>();
  for (const pair of pairs) turns.set(teamOf(pair), Math.max(pair.turn, turns.get(teamOf(pair)) ?? 0));
  return turns;
}

/** Crawls that had no turn yet go in the order they asked. */
function comesBefore(a: PairRow, b: PairRow, turns: Map<string, number>): boolean {
  const [of, than] = [turns.get(teamOf(a)) ?? 0, turns.get(teamOf(b)) ?? 0];
  if (of !== than) return of < than;
  if (a.turn !== b.turn) return a.turn < b.turn;
  return a.ready === b.ready ? a.crawl.id < b.crawl.id : a.ready < b.ready;
}

function isServable(pair: PairRow): boolean {
  return pair.crawl.state === 'running' && !limitedBy(pair.crawl) && hasWork(pair);
}

function hasWork(pair: PairRow): boolean {
  return pair.queued > 0 && mustSettle(pair) === undefined && !isFull(pair.site);
}

/** When to ask again, and who was refused by a ceiling of its own. */
function outlook(
  store: Store,
  index: DueHosts,
  asking: readonly CrawlRow[],
): Pick<GrantAnswer, 'nextDueMs' | 'limited'> {
  store.flush();
  const now = store.clock.now();
  const limited: GrantAnswer['limited'] = [];
  let next = Number.POSITIVE_INFINITY;
  for (const crawl of asking) {
    const due = firstDue(store, index, crawl);
    if (due === undefined) continue;
    const by = limitedBy(crawl);
    if (!by) next = Math.min(next, due);
    else if (due <= now) limited.push({ crawl: crawl.key, by });
  }
  return { limited, nextDueMs: next === Number.POSITIVE_INFINITY ? null : Math.max(0, next - now) };
}

/** Hosts looked at in search of one that still has work: those of a site that filled up stand in the index. */
const firstTries = 100;

function firstDue(store: Store, index: DueHosts, crawl: CrawlRow): number | undefined {
  for (let i = 0; i < firstTries; i++) {
    const found = index.first(crawl.id);
    if (!found) return undefined;
    const host = store.hosts.byId(found.host);
    const pair = store.hosts.pairOf(host, crawl);
    if (pair && hasWork(pair)) return found.due;
    store.hosts.touch(host);
    store.flush();
  }
  return store.clock.now();
}

/** How long to wait when it is not the clocks but the crawl's state that says no. */
const askAgainMs = 1000;

export function leaseOneHost(store: Store, request: HostLeaseRequest): HostLeaseAnswer {
  const crawl = store.crawls.get(request.crawl);
  if (crawl.barred?.host(request.host)) return { granted: false, refused: droppedReasons.forgotten };
  if (crawl.state !== 'running') return { granted: false, retryAfterMs: askAgainMs };
  const host = store.hosts.ensure(request.host);
  const now = store.clock.now();
  const held = store.hosts.hold(host);
  const from = clockOf(host, crawl, held);
  if (from > now) return { granted: false, retryAfterMs: from - now };
  if (!claims(store, host, crawl)) return { granted: false, retryAfterMs: host.notBefore - now };
  if (held && !held.over) expire(store, held);
  const { worker } = request;
  const lease = hold(store, host, { crawl, worker });
  store.hosts.ensurePair(host, crawl).turn = lease.fence;
  return { granted: true, lease };
}
