import type {
  Clock,
  CoordinatorLink,
  CrawlId,
  Entry,
  HostLease,
  LeaseId,
  LeaseRef,
  LeaseReport,
  Url,
  WorkerId,
} from '@webfarer/protocol';
import { createTryBook } from './try-book.ts';

/** A lease that a worker has, as far as this coordinator knows. */
export interface LiveLease {
  id: LeaseId;
  /** Who asked for it: the worker that has it, or one of its processes. */
  worker: WorkerId;
  /** Who is connected, and brings it back. */
  holder: WorkerId;
  /** The process of the worker that it was granted to. */
  session: string;
  sinceMs: number;
  /** Undefined: the worker brought it along and has not reported on it yet. */
  ref: LeaseRef | undefined;
  /** URLs of it that are not settled; undefined: the worker brought the lease along, and only the worker knows them. */
  urls: number | undefined;
  /** What a volunteer was asked for, and may settle. Own workers are trusted: none is kept for them. */
  entries: ReadonlyMap<Url, Entry>;
}

/** What one worker may do with leases; whatever it is granted or gives back is in the roster. */
export interface LeaseCalls extends Pick<CoordinatorLink, 'lease' | 'leaseHost' | 'renew' | 'report'> {
  readonly held: ReadonlyMap<LeaseId, LiveLease>;
}

export interface LeaseHolder {
  worker: WorkerId;
  session: string;
  /** The leases that it says it has. */
  holds: readonly LeaseId[];
  keepsEntries: boolean;
  /** It stands for several processes, which lease under names of their own. */
  isSeveral: boolean;
}

/**
 * All leases that workers of this coordinator have: the one place that follows grants, renewals and reports. Only the
 * frontier decides what a lease is worth; this may be lost at any time.
 */
export interface LeaseRoster {
  /** A process of a worker is connected. It takes the place of any other one of the same worker. */
  connect(holder: LeaseHolder): LeaseCalls;
  /**
   * Grants to this very process that it did not name when it connected: they were lost on their way, so nothing was done
   * with them and they need not run out by themselves.
   */
  undelivered(worker: WorkerId): LeaseRef[];
  /** Its leases are remembered until it comes back, or too many other workers have left since. */
  disconnect(worker: WorkerId): void;
  /** The worker's process is dead: nobody will come back with its leases. */
  forget(worker: WorkerId): void;
  /** Of all workers, connected or not. */
  live(): Iterable<LiveLease>;
  /** How many leases of a crawl are out: in all, and with workers that are connected and can still bring something. */
  count(crawl: CrawlId): LeaseCount;
}

export interface LeaseCount {
  out: number;
  awaited: number;
  /** URLs in leases that connected workers were granted here. */
  urls: number;
  /** Leases that workers brought along, of which neither the URLs nor always the crawl are known. */
  unknown: number;
}

interface Holding {
  session: string;
  isSeveral: boolean;
  held: Map<LeaseId, LiveLease>;
  undelivered: LeaseRef[];
  isConnected: boolean;
}

interface LeaseRosterOptions {
  link: Pick<CoordinatorLink, 'lease' | 'leaseHost' | 'renew' | 'report'>;
  clock: Clock;
  /** Workers that are remembered after they left. */
  mostAway: number;
  /** A report of that worker was accepted. */
  reported: (worker: WorkerId, report: LeaseReport) => void;
}

const noEntries: ReadonlyMap<Url, Entry> = new Map();

export function createLeaseRoster(options: LeaseRosterOptions): LeaseRoster {
  const { link, clock, mostAway } = options;
  const holdings = new Map<WorkerId, Holding>();
  const tries = createTryBook(clock);
  const { add, remove, count } = createLeaseIndex();

  function drop(worker: WorkerId): void {
    const { held } = holdings.get(worker) ?? {};
    for (const lease of held?.values() ?? []) remove(held as Holding['held'], lease);
    holdings.delete(worker);
  }

  function dropOldest(): void {
    let away = 0;
    for (const { isConnected } of holdings.values()) if (!isConnected) away++;
    for (const [worker, { isConnected }] of holdings) {
      if (away <= mostAway) return;
      if (isConnected) continue;
      drop(worker);
      away--;
    }
  }

  return {
    connect({ worker, session, holds, keepsEntries, isSeveral }) {
      const before = holdings.get(worker);
      const known = before?.session === session ? before.held : undefined;
      const sinceMs = clock.now();
      const held = new Map<LeaseId, LiveLease>();
      const own = { worker, holder: worker, session, sinceMs };
      for (const id of holds)
        add(held, known?.get(id) ?? { id, ...own, ref: undefined, urls: undefined, entries: noEntries });
      const undelivered: LeaseRef[] = [];
      for (const { id, ref } of known?.values() ?? []) if (ref && !held.has(id)) undelivered.push(ref);
      for (const lease of before?.held.values() ?? []) if (held.get(lease.id) !== lease) remove(held, lease);
      holdings.delete(worker);
      holdings.set(worker, { session, isSeveral, held, undelivered, isConnected: true });

      function granted(lease: HostLease, asking: WorkerId): void {
        const { id, crawl, host, fence, entries } = lease;
        add(held, {
          id,
          worker: asking,
          holder: worker,
          session,
          sinceMs: clock.now(),
          ref: { id, crawl, host, fence },
          urls: entries.length,
          entries: keepsEntries ? new Map(entries.map((entry) => [entry.url, entry])) : noEntries,
        });
      }

      /** A lease is over for its worker when it was closed, or is not valid any more. */
      function follow({ id, crawl, host, fence }: LeaseRef, { isOver }: { isOver: boolean }): void {
        const lease = held.get(id);
        if (!lease) return;
        if (isOver) remove(held, lease);
        else if (!lease.ref) {
          remove(held, lease);
          add(held, { ...lease, ref: { id, crawl, host, fence } });
        }
      }

      /** Where a holder stands for several processes: the one that leased it. */
      const reporterOf = ({ id }: LeaseRef): WorkerId => held.get(id)?.worker ?? worker;

      const asked = <R extends { worker: WorkerId }>(request: R): R =>
        isSeveral ? request : { ...request, worker };

      return {
        held,
        async lease(request) {
          const own = asked(request);
          const answer = await link.lease(own);
          for (const lease of answer.leases) granted(lease, own.worker);
          return answer;
        },
        async leaseHost(request) {
          const own = asked(request);
          const answer = await link.leaseHost(own);
          if (answer.granted) granted(answer.lease, own.worker);
          return answer;
        },
        async renew(leases) {
          const answers = await link.renew(leases);
          for (const [i, lease] of leases.entries()) follow(lease, { isOver: answers[i]?.ok === false });
          return answers;
        },
        async report(reports) {
          for (const report of reports) tries.complete(reporterOf(report), report);
          const answers = await link.report(reports);
          for (const [i, report] of reports.entries()) {
            const isAccepted = answers[i]?.ok === true;
            if (isAccepted) tries.accepted(reporterOf(report), report);
            if (isAccepted) settle(held.get(report.id), report);
            follow(report, { isOver: report.close || !isAccepted });
            if (isAccepted) options.reported(worker, report);
          }
          return answers;
        },
      };
    },
    undelivered: (worker) => holdings.get(worker)?.undelivered ?? [],
    disconnect(worker) {
      const holding = holdings.get(worker);
      if (!holding) return;
      // Put at the end: those that left first are dropped first.
      holdings.delete(worker);
      if (holding.held.size === 0) return;
      holdings.set(worker, { ...holding, undelivered: [], isConnected: false });
      dropOldest();
    },
    forget(worker) {
      for (const [holder, { held, isSeveral }] of holdings) {
        if (holder !== worker && !isSeveral) continue;
        for (const lease of held.values())
          if (holder === worker || lease.worker === worker) remove(held, lease);
      }
      if (holdings.get(worker)?.isConnected === false) holdings.delete(worker);
    },
    *live() {
      for (const { held } of holdings.values()) yield* held.values();
    },
    count: (crawl) => count(crawl, (holder) => holdings.get(holder)?.isConnected === true),
  };
}

/** Leases by their crawls. */
function createLeaseIndex() {
  /** Those whose crawl is known. */
  const ofCrawls = new Map<CrawlId, Set<LiveLease>>();
  const brought = new Set<LiveLease>();

  function add(held: Holding['held'], lease: LiveLease): void {
    held.set(lease.id, lease);
    if (lease.urls === undefined) brought.add(lease);
    if (!lease.ref) return;
    const leases = ofCrawls.get(lease.ref.crawl);
    if (leases) leases.add(lease);
    else ofCrawls.set(lease.ref.crawl, new Set([lease]));
  }

  function remove(held: Holding['held'], lease: LiveLease): void {
    if (held.get(lease.id) === lease) held.delete(lease.id);
    brought.delete(lease);
    const leases = lease.ref && ofCrawls.get(lease.ref.crawl);
    if (leases?.delete(lease) && leases.size === 0) ofCrawls.delete((lease.ref as LeaseRef).crawl);
  }

  return {
    add,
    remove,
    count(crawl: CrawlId, isConnected: (holder: WorkerId) => boolean): LeaseCount {
      const leases = ofCrawls.get(crawl);
      const count = { out: leases?.size ?? 0, awaited: 0, urls: 0, unknown: brought.size };
      for (const { holder, urls = 0 } of leases ?? []) {
        if (!isConnected(holder)) continue;
        count.awaited++;
        count.urls += urls;
      }
      return count;
    },
  };
}

function settle(lease: LiveLease | undefined, { settled }: LeaseReport): void {
  // A report whose answer was lost comes again.
  if (lease?.urls !== undefined) lease.urls = Math.max(0, lease.urls - settled.length);
}
