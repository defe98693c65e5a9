import type {
  Clock,
  CoordinatorLink,
  Entry,
  HostLease,
  LeaseId,
  LeaseRef,
  Url,
  WorkerId,
} from '@webfarer/protocol';

/** A lease that a worker has, as far as this coordinator knows. */
export interface LiveLease {
  id: LeaseId;
  worker: WorkerId;
  /** The process of the worker that it was granted to. */
  session: string;
  sinceMs: number;
  /** Undefined: the worker brought it along and has not reported on it yet. */
  ref: LeaseRef | undefined;
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
}

interface Holding {
  session: string;
  held: Map<LeaseId, LiveLease>;
  undelivered: LeaseRef[];
  isConnected: boolean;
}

interface LeaseRosterOptions {
  link: Pick<CoordinatorLink, 'lease' | 'leaseHost' | 'renew' | 'report'>;
  clock: Clock;
  /** Workers that are remembered after they left. */
  mostAway: number;
}

const noEntries: ReadonlyMap<Url, Entry> = new Map();

export function createLeaseRoster({ link, clock, mostAway }: LeaseRosterOptions): LeaseRoster {
  const holdings = new Map<WorkerId, Holding>();

  function dropOldest(): void {
    let away = 0;
    for (const { isConnected } of holdings.values()) if (!isConnected) away++;
    for (const [worker, { isConnected }] of holdings) {
      if (away <= mostAway) return;
      if (isConnected) continue;
      holdings.delete(worker);
      away--;
    }
  }

  return {
    connect({ worker, session, holds, keepsEntries, isSeveral }) {
      const before = holdings.get(worker);
      const known = before?.session === session ? before.held : undefined;
      const sinceMs = clock.now();
      const held = new Map<LeaseId, LiveLease>();
      for (const id of holds)
        held.set(id, known?.get(id) ?? { id, worker, session, sinceMs, ref: undefined, entries: noEntries });
      const undelivered: LeaseRef[] = [];
      for (const { id, ref } of known?.values() ?? []) if (ref && !held.has(id)) undelivered.push(ref);
      holdings.delete(worker);
      holdings.set(worker, { session, held, undelivered, isConnected: true });

      function granted(lease: HostLease): void {
        const { id, crawl, host, fence, entries } = lease;
        held.set(id, {
          id,
          worker,
          session,
          sinceMs: clock.now(),
          ref: { id, crawl, host, fence },
          entries: keepsEntries ? new Map(entries.map((entry) => [entry.url, entry])) : noEntries,
        });
      }

      /** A lease is over for its worker when it was closed, or is not valid any more. */
      function follow({ id, crawl, host, fence }: LeaseRef, { isOver }: { isOver: boolean }): void {
        const lease = held.get(id);
        if (isOver) held.delete(id);
        else if (lease && !lease.ref) held.set(id, { ...lease, ref: { id, crawl, host, fence } });
      }

      return {
        held,
        async lease(request) {
          const answer = await link.lease(isSeveral ? request : { ...request, worker });
          answer.leases.forEach(granted);
          return answer;
        },
        async leaseHost(request) {
          const answer = await link.leaseHost(isSeveral ? request : { ...request, worker });
          if (answer.granted) granted(answer.lease);
          return answer;
        },
        async renew(leases) {
          const answers = await link.renew(leases);
          for (const [i, lease] of leases.entries()) follow(lease, { isOver: answers[i]?.ok === false });
          return answers;
        },
        async report(reports) {
          const answers = await link.report(reports);
          for (const [i, report] of reports.entries())
            follow(report, { isOver: report.close || answers[i]?.ok !== true });
          return answers;
        },
      };
    },
    undelivered: (worker) => holdings.get(worker)?.undelivered ?? [],
    disconnect(worker) {
      const holding = holdings.get(worker);
      if (!holding) return;
      holdings.delete(worker);
      if (holding.held.size === 0) return;
      holdings.set(worker, { ...holding, undelivered: [], isConnected: false });
      dropOldest();
    },
    forget(worker) {
      const holding = holdings.get(worker);
      holding?.held.clear();
      if (holding?.isConnected === false) holdings.delete(worker);
    },
    *live() {
      for (const { held } of holdings.values()) yield* held.values();
    },
  };
}
