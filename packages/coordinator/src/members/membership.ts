/** A coordinator as the others see it. What it says of itself is advice: nothing that must be right depends on it. */
export interface Member {
  /** Stays the same over restarts. */
  id: string;
  /** Names one life of it. */
  life: string;
  /** Where workers reach it. */
  url: string;
  /** How much of the work it should have, beside the others: 2 is twice as much as 1. */
  capacity: number;
  /** It goes away on purpose: nobody is sent there any more. */
  leaving?: boolean;
  /** Workers linked to it, and hosts they hold. */
  workers: number;
  hosts: number;
  /** Hosts its workers could take while nothing is due: whoever holds many may give some back. */
  thirst?: number;
  /** How many workers it had in each round of sharing out, since the members became these; and rounds it is done with. */
  rounds?: { view: string; counts: number[]; acted: number };
}

export type Renewal =
  | { kind: 'ok'; members: readonly Member[] }
  /** Nobody heard of it for too long: it may register again. */
  | { kind: 'gone' }
  /** Another process registered under the same id. */
  | { kind: 'replaced' };

/**
 * Who takes part at the moment. A member that is not renewed runs out by the clock of the store; those of the
 * members do not matter. Lists are sorted by id. `membership.suite.ts` is what all implementations pass.
 */
export interface Membership {
  /** Takes part from now on. An earlier life of the same member is replaced at once. */
  register(self: Member): Promise<readonly Member[]>;
  /** Is still there, and as it says now. */
  renew(self: Member): Promise<Renewal>;
  leave(self: Member): Promise<void>;
  /** Without taking part. */
  list(): Promise<readonly Member[]>;
}

export interface MembershipOptions {
  /** Not heard of for so long, a member is gone. */
  ttlMs: number;
}
