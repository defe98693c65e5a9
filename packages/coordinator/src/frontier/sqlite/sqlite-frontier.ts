import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type DatedClock,
  type CrawlId,
  type CrawlState,
  type LeaseRef,
  type Offer,
  WebfarerError,
  type WorkerId,
} from '@webfarer/protocol';
import { hostMatch } from '@webfarer/protocol/url';
import type { Frontier, FrontierCrawl, OfferVerdict, RanTime, SoleOwner } from '../frontier.ts';
import type { CountHistory } from '../../history/count-history.ts';
import type { HostHistory } from '../../history/host-history.ts';
import { sqliteHistory, type SqliteHistoryOptions } from '../../history/sqlite-history.ts';
import { sqliteHostHistory } from '../../history/sqlite-host-history.ts';
import { settledListeners } from '../../results/follow.ts';
import type { Results } from '../../results/results.ts';
import { requireEpoch } from '../epochs.ts';
import type { HostLedger } from '../../ledger/host-ledger.ts';
import { createCommitQueue } from './commit-queue.ts';
import { dueHosts, leaseHosts, leaseOneHost } from './granting.ts';
import { freeAbandoned, outlive, renewAll, renewOne } from './leasing.ts';
import { type CrawlRow, isLate, limitedBy } from './rows/crawls.ts';
import { leaseId } from './rows/holds.ts';
import { sweepLimit } from './moving.ts';
import type { Database } from '../../sqlite/node-sqlite.ts';
import { offerAll } from './offering.ts';
import { reading } from './reading.ts';
import { reportOne } from './reporting.ts';
import { compact } from './compacting.ts';
import { dropStep } from './dropping.ts';
import { forgetStep, forgotten } from './forgetting.ts';
import { retryStep } from './retrying.ts';
import { searchUrls } from './searching.ts';
import { openDatabase } from './schema.ts';
import { sqliteResults } from './sqlite-results.ts';
import { asStorageError } from '../../sqlite/storage-error.ts';
import { createStore, type Store, type StoreSizes } from './store.ts';
import { doomedHosts, sweepOnce } from './sweeping.ts';

export interface SqliteFrontierOptions {
  /** A file, made if need be, or `:memory:`. */
  path: string;
  clock: DatedClock;
  /** Only questions; works beside a process that crawls. */
  readOnly?: boolean;
  /** With readOnly: all questions are answered as of the moment of opening, and need not be read again. */
  snapshot?: boolean;
  /** Keeps this crawl polite to hosts that other crawls of the machine contact too; the caller closes it. */
  ledger?: HostLedger;
  /** For proofs: called at `claimed`, `before-commit`, `after-commit` and `outcomes-committed`. May end the process. */
  failpoint?: (name: string) => void;
  /**
   * For proofs, a negative control: outcomes are committed in one transaction and what their pages yielded
   * in a later one. A crash in between then loses URLs.
   */
  unsafeOutcomesFirst?: boolean;
  /** Reports that end no lease, and upkeep, wait up to so long for others, so that they share a transaction. */
  gatherMs?: number;
  /** For tests: what is gathered in memory before it is written sorted. */
  sizes?: StoreSizes;
}

export interface SqliteFrontier extends Frontier {
  results: Results;
  history: CountHistory;
  hostHistory: HostHistory;
  owner: SoleOwner;
}

/** The frontier of one process, in one SQLite file. */
export function openSqliteFrontier(options: SqliteFrontierOptions): SqliteFrontier {
  const db = openFile(options.path, options.readOnly ?? false);
  try {
    return frontierOn(db, options);
  } catch (error) {
    db.close();
    throw asStorageError(error, options.path);
  }
}

/** The same on a database that is open already; it is closed with the frontier. */
export function frontierOn(db: Database, options: Omit<SqliteFrontierOptions, 'path'>): SqliteFrontier {
  const readOnly = options.readOnly ?? false;
  if (readOnly && options.snapshot) db.exec('BEGIN');
  const path = db.location() ?? '';
  const { sizes, ledger, failpoint = () => {} } = options;
  const store = createStore(db, options.clock, { readOnly, sizes, ledger, failpoint });
  const index = { ...dueHosts(store), ...doomedHosts(store) };
  const questions = reading(store);
  // A file goes back in time only while nobody has it open. A crawl is never erased from it, so this is all it takes.
  const session = randomUUID();
  const epoch = (key: CrawlId) => (store.crawls.find(key) ? session : undefined);
  const settled = settledListeners();
  /** The last record of which listeners know. */
  let told = 0;
  const put: (() => void)[] = [];
  const queue = createCommitQueue({
    db,
    flush: store.flushAll,
    undone: () => undo(store),
    committed() {
      store.claims.committed();
      if (store.records.ids.last() !== told) {
        told = store.records.ids.last();
        settled.tell('anywhere');
      }
      if (put.length === 0) {
        store.trim();
        return undefined;
      }
      failpoint('outcomes-committed');
      return () => put.splice(0).forEach((work) => work());
    },
    failpoint,
    gatherMs: options.gatherMs,
  });
  const later = options.unsafeOutcomesFirst ? (work: () => void) => void put.push(work) : undefined;

  /** A reader sees what another process has committed since. */
  const refresh = readOnly && !options.snapshot ? store.reload : () => {};

  function change<T>(work: () => T, how?: { patient: boolean }): Promise<T> {
    if (readOnly) return Promise.reject(new WebfarerError('internal', 'this frontier is read-only'));
    return queue.run(work, how);
  }

  async function ask<T>(question: () => T): Promise<T> {
    return await once(() => {
      refresh();
      return question();
    });
  }

  async function once<T>(question: () => T): Promise<T> {
    try {
      return question();
    } catch (error) {
      throw asStorageError(error, path);
    }
  }

  const histories: SqliteHistoryOptions = {
    db,
    rowOf: (key) => store.crawls.find(key)?.id,
    nowMs: () => options.clock.now(),
    // It shares the next commit: nobody waits for a sample.
    change: (work) => change(work, { patient: true }),
    ask,
  };
  const hostHistory = sqliteHostHistory(histories);

  return {
    openCrawl: (crawl) => change(() => openCrawl(store, crawl)),
    setState: (key, state, wish) => change(() => setState(store.crawls.change(key), state, wish)),
    offer: (key, offers) => change(() => offerAll(store, store.crawls.change(key), { offers, parent: null })),
    seed: (key, offers, { last }) => change(() => seed(store, key, { offers, last })),
    lease: (request) => change(() => leaseHosts(store, index, request)),
    // Asking is cheap.
    dueInMs: () => 0,
    leaseHost: (request) => change(() => leaseOneHost(store, request)),
    renew: (leases) => change(() => leases.map((lease) => renewOne(store, lease))),
    async report(reports) {
      requireEpoch(reports, epoch);
      return await change(() => reports.map((report) => reportOne(store, report, later)), {
        // Only whoever ends a lease waits for the answer before going on.
        patient: reports.every(({ close }) => !close),
      });
    },
    sweep: () => change(() => sweepOnce(store, index), { patient: true }),
    releaseAll: (worker) => change(() => releaseAll(store, worker)),
    owner: {
      renewAll: () => change(() => renewAll(store)),
      grantedTo: (worker) => ask(() => grantedTo(store, worker)),
    },
    finish: (key) => change(() => finish(store, key), { patient: true }),
    limit: (key) => change(() => limit(store.crawls.change(key))),
    retry: (key, step) => change(() => retryStep(store, key, step)),
    drop: (key, step, reason) => change(() => dropStep(store, key, { ...step, reason })),
    async forget(key, order, after) {
      const step = await change(() => forgetStep(store, key, order, after));
      if (step.next === undefined) await hostHistory.forget(key, hostMatch(order.pattern).host);
      return step;
    },
    async forgot(key, pattern, sums) {
      // A sample that was on its way may have come after those of the last step.
      await hostHistory.forget(key, hostMatch(pattern).host);
      await change(() => forgotten(store, key, pattern, sums));
      await compact(db);
    },
    forgotten: (key) => ask(() => [...(store.crawls.get(key).barred?.tombstones ?? [])]),
    epoch,
    state: (key) => ask(() => store.crawls.get(key).state),
    balance: (key) => ask(() => questions.balance(key)),
    totals: (key) => ask(() => questions.totals(key)),
    overview: (key) => ask(() => ({ balance: questions.balance(key), totals: questions.totals(key) })),
    waiting: (key, limit) => ask(() => questions.waiting(key, limit)),
    hostSums: (key, hosts) => ask(() => questions.hostSums(key, hosts)),
    async urls(key, search) {
      // What another process has written since is read once for a page.
      refresh();
      return await searchUrls(store, key, { ...search, ask: once });
    },
    look: (key, url) => ask(() => questions.look(key, url)),
    robots: (origin) => ask(() => store.robots.get(origin)),
    keepTime: (key, ran) => change(() => keepTime(store.crawls.change(key), ran), { patient: true }),
    async close() {
      await queue.close();
      if (db.isOpen) db.close();
    },
    results: sqliteResults(store, { refresh, onSettled: settled.add }),
    history: sqliteHistory(histories),
    hostHistory,
  };
}

function undo({ claims, reload }: Store): void {
  claims.undone();
  reload();
}

function openFile(path: string, readOnly: boolean) {
  try {
    return openDatabase(path, readOnly);
  } catch (error) {
    throw asStorageError(error, path);
  }
}

/** Fields on which it depends when a host is due, or whether it is given up. */
const weighty = ['gapMs', 'limits'] as const;

function setState(crawl: CrawlRow, state: CrawlState, wish: number | undefined): CrawlState {
  if (!isLate(crawl, 'wish', wish)) Object.assign(crawl, { state, limitedBy: undefined });
  return crawl.state;
}

function openCrawl(store: Store, { edit, ...settings }: FrontierCrawl): string {
  const known = store.crawls.find(settings.id);
  if (known && isLate(known, 'edit', edit)) return known.nonce;
  const before = known?.settings;
  const opened = store.crawls.open(settings);
  if (!known) isLate(opened, 'edit', edit);
  const { id, nonce } = opened;
  if (!before || weighty.every((key) => isDeepStrictEqual(before[key], settings[key]))) return nonce;
  // Every host with a queue is looked at again: the first now, the rest by the sweep and when they are due.
  store.flush();
  store.hosts.forget();
  store.db.prepare('UPDATE pairs SET doomed = 1, due = coalesce(due, 0) WHERE crawl = ? AND busy').run(id);
  const again = store.db.prepare('SELECT host FROM pairs WHERE crawl = ? AND doomed LIMIT ?');
  for (const { host } of again.all(id, sweepLimit) as { host: number }[])
    store.hosts.touch(store.hosts.byId(host));
  return nonce;
}

function seed(
  store: Store,
  key: CrawlId,
  { offers, last }: { offers: Offer[]; last: boolean },
): OfferVerdict[] {
  const crawl = store.crawls.change(key);
  const verdicts = offerAll(store, crawl, { offers, parent: null });
  if (last) crawl.seeded = true;
  return verdicts;
}

function finish(store: Store, key: CrawlId): boolean {
  const { counters, seeded, state } = store.crawls.get(key);
  if (!seeded || counters.queued + counters.leased > 0) return false;
  if (state !== 'finished') store.crawls.change(key).state = 'finished';
  return true;
}

function limit(crawl: CrawlRow): 'pages' | 'bytes' | undefined {
  const by = crawl.counters.leased > 0 ? undefined : limitedBy(crawl);
  if (by && crawl.state === 'running') Object.assign(crawl, { state: 'limited', limitedBy: by });
  return crawl.state === 'limited' ? crawl.limitedBy : undefined;
}

function keepTime(crawl: CrawlRow, { sinceMs, atLeastMs }: RanTime): number {
  crawl.ranMs = Math.max(crawl.ranMs + sinceMs, atLeastMs);
  return crawl.ranMs;
}

function grantedTo(store: Store, worker: WorkerId): LeaseRef[] {
  const held = store.hosts.holds.all().filter((hold) => hold.worker === worker && !hold.over);
  return held.map(({ fence, crawlId, hostId }) => {
    const [crawl, host] = [store.crawls.byId(crawlId).key, store.hosts.byId(hostId).key];
    return { id: leaseId(store.mark, fence), crawl, host, fence };
  });
}

/** Nobody else, or not this worker, is alive: none of its leases and holds is left. */
function releaseAll(store: Store, worker: WorkerId | undefined): number {
  let ended = 0;
  const now = store.clock.now();
  for (const lease of store.hosts.holds.all()) {
    if (worker !== undefined && lease.worker !== worker) continue;
    if (!lease.over) ended++;
    // Nobody can be talking to a host any more whose hold is over by itself.
    if (now >= lease.heldUntil) {
      outlive(store, lease);
      continue;
    }
    const host = store.hosts.byId(lease.hostId);
    const until = now + store.crawls.byId(lease.crawlId).settings.gapMs;
    if (until > host.notBefore) Object.assign(host, { notBefore: until, why: 'gap', dirty: true });
    freeAbandoned(store, lease);
    store.claims.release(host, now);
  }
  if (worker === undefined) store.claims.abandonAll();
  return ended;
}
