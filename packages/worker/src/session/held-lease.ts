import type { Clock, CookiesSet, CoordinatorLink, HostLease, LeaseRef, WaitReason } from '@webfarer/protocol';

/** A lease as its holder sees it: its deadline counts from the moment it was asked for, on our own clock. */
export interface HeldLease {
  readonly lease: HostLease;
  readonly ref: LeaseRef;
  readonly deadlineMs: number;
  /** When it was asked for, on our own clock. */
  readonly askedAtMs: number;
  /** Aborted when the coordinator says that the lease is over, or wants it back: nothing new is begun. */
  readonly lost: AbortSignal;
  renewalDue(nowMs: number): boolean;
  extend(deadlineMs: number): void;
  lose(): void;
  /** What its session waits for, for people who ask. */
  pause: { untilMs: number; why: WaitReason; detail: string | undefined; left: number } | undefined;
  /** Cookies that its pages set and no report has told of yet. */
  cookies: CookiesSet[];
  /** How many pages set that were not kept, and that no report has told of yet. */
  cookiesLeftOut: number;
}

/** Asks for more time. A lease whose renewal is refused is lost; one that was not answered stands as it is. */
export async function renewLeases(
  { link, clock }: { link: Pick<CoordinatorLink, 'renew'>; clock: Clock },
  leases: readonly HeldLease[],
): Promise<void> {
  const askedAtMs = clock.now();
  const answers = await link.renew(leases.map(({ ref }) => ref)).catch(() => []);
  for (const [i, held] of leases.entries()) {
    const answer = answers[i];
    if (answer?.ok) held.extend(askedAtMs + answer.ttlMs);
    else if (answer) held.lose();
  }
}

export function holdLease(lease: HostLease, askedAtMs: number): HeldLease {
  const gone = new AbortController();
  let deadlineMs = askedAtMs + lease.ttlMs;
  const { id, crawl, host, fence } = lease;
  return {
    lease,
    ref: { id, crawl, host, fence },
    askedAtMs,
    get deadlineMs() {
      return deadlineMs;
    },
    lost: gone.signal,
    // After a third of its time, so that two renewals may fail before it runs out.
    renewalDue: (nowMs) => !gone.signal.aborted && deadlineMs - nowMs < (lease.ttlMs * 2) / 3,
    extend(next) {
      deadlineMs = Math.max(deadlineMs, next);
    },
    lose: () => gone.abort(new Error('the lease is over')),
    pause: undefined,
    cookies: [],
    cookiesLeftOut: 0,
  };
}
