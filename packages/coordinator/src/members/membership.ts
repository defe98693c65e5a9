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
  /** It keeps the workers it has and takes no others. */
  cordoned?: boolean;
  /** Workers connected to it, and hosts they hold. */
  workers: number;
  hosts: number;
  /** Of these workers, those that run in its own process and never switch. */
  pinned?: number;
  /** The crawl it serves. Coordinators of one crawl share its demand. */
  crawl: string;
  /** How many workers it has something to do for; 0: none, so it gives its workers away. */
  wants: number;
  /** Hosts its workers could take while nothing is due: whoever holds many may give some back. */
  thirst?: number;
  /** How often it has asked all members to count their workers anew. */
  recounts?: number;
  /** Where it stands in sharing out the workers. */
  rounds?: Rounds;
}

/** What a member says in the rounds of sharing out workers that belong to one view of the members. */
export interface Rounds {
  /** Names the members as it sees them. */
  view: string;
  /** The round it has counted for last, from 1. */
  round: number;
  /** Its counts in that round and in the one before: others may be one round behind. */
  counts: Count[];
  /** The last round in which it told its workers where to go. */
  acted: number;
}

/** A coordinator at the moment of counting. */
export interface Count {
  /** Workers that may be told to switch. */
  workers: number;
  wants: number;
  /** For how long its crawl has had workers here, or none, since it last had a turn. */
  sinceMs: number;
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
