import type { HostKey, WaitReason } from '@webfarer/protocol';

/**
 * Politeness between crawls that share nothing but a machine: which of them may contact a host, and when. Each crawl has
 * a frontier in a database of its own and claims a host here before it grants a lease on it. Every method is one whole
 * transaction, and one that a crash of the process cannot undo. Times are durations, so that callers may have clocks of
 * their own.
 */
export interface HostLedger {
  /** Takes the host for this owner, or says when to ask again. Whoever is refused waits in line while it keeps asking. */
  claim(owner: LedgerOwner, host: HostKey, terms: ClaimTerms): ClaimAnswer;
  /** The lease was renewed: the claim begins anew. False: another owner has the host, so the lease must end. */
  extend(owner: LedgerOwner, host: HostKey, terms: ClaimTerms): boolean;
  /** This owner no longer talks to these hosts, which may rest as long as they say. Passes over those it does not hold. */
  release(owner: LedgerOwner, rests: HostRest[]): void;
  /** These hosts must rest longer than their claims last: others must know even if the claims run out. */
  postpone(owner: LedgerOwner, rests: HostRest[]): void;
  /** The process that made all claims of this owner so far is dead: their hosts owe one gap from now. */
  abandon(owner: LedgerOwner): void;
  close(): void;
}

/** Who claims: the database of one crawl. Only one process at a time works on it. */
export type LedgerOwner = string & { readonly __brand: 'LedgerOwner' };

export interface ClaimTerms {
  /** Teams take turns on a host, and then the owners of each. */
  team: string;
  /** The crawl's own gap, which also counts from the end of requests that others made. */
  gapMs: number;
  /** A claim that nobody extends or releases ends by itself: lease time, longest fetch and gap. */
  holdMs: number;
}

export type ClaimAnswer =
  /** `fresh`: false where this owner had the host already. */
  { claimed: true; fresh: boolean } | { claimed: false; retryAfterMs: number; why: WaitReason };

/** What a host deserves after it was contacted. */
export interface HostRest {
  host: HostKey;
  /** No request before this has passed. */
  restMs: number;
  why: WaitReason;
  /** When the last request ended; null where there was none. */
  endedAgoMs: number | null;
}
