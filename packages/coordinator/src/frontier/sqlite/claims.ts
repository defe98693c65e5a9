import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import type { HostKey } from '@webfarer/protocol';
import { defaultTeam } from '@webfarer/protocol/job';
import type { ClaimAnswer, ClaimTerms, HostLedger, HostRest, LedgerOwner } from '../../ledger/host-ledger.ts';
import type { HostRow } from './rows/host-state.ts';
import type { Database } from '../../sqlite/node-sqlite.ts';
import type { CrawlRow } from './rows/crawls.ts';

/**
 * What this database claims in the ledger that it shares with other crawls. A claim is made before the grant it is for
 * is committed, and ends after the commit that ends the lease: a crash in between costs time, never politeness.
 */
export interface Claims {
  /** The host is due here: may this crawl have it? */
  claim(host: HostRow, crawl: CrawlRow): ClaimAnswer;
  /** False: another crawl has the host. */
  extend(host: HostRow, crawl: CrawlRow): boolean;
  /** The lease is over and nobody talks to the host: others may have it once it has rested as its clock says. */
  release(host: HostRow, now: number): void;
  /** The host's clock went beyond the end of its claim. */
  postpone(host: HostRow, now: number): void;
  /** All earlier processes that worked on this database are dead. */
  abandonAll(): void;
  committed(): void;
  undone(): void;
}

const claimed: ClaimAnswer = { claimed: true, fresh: true };

/** For a crawl that shares its hosts with nobody. */
export const noClaims: Claims = {
  claim: () => claimed,
  extend: () => true,
  release() {},
  postpone() {},
  abandonAll() {},
  committed() {},
  undone() {},
};

export function ledgerClaims(
  ledger: HostLedger,
  owner: LedgerOwner,
  failpoint: (name: string) => void,
): Claims {
  /** Made in the transaction that is open. */
  const fresh = new Set<HostKey>();
  /** To be told to the ledger when the transaction is committed. */
  const ending = new Map<HostKey, HostRest>();
  const longer = new Map<HostKey, HostRest>();
  let abandoning = false;

  /** A ledger that fails now leaves the claims to run out, or to be ended with the next commit. */
  function tell(work: () => void): boolean {
    try {
      work();
      return true;
    } catch {
      return false;
    }
  }

  function endReleased(): void {
    if (ending.size > 0 && tell(() => ledger.release(owner, [...ending.values()]))) ending.clear();
    if (abandoning && tell(() => ledger.abandon(owner))) abandoning = false;
  }

  return {
    claim(host, crawl) {
      // In the same transaction: this claim must not be abandoned with the others.
      if (abandoning) endReleased();
      const answer = ledger.claim(owner, host.key, termsOf(crawl));
      if (!answer.claimed) return answer;
      failpoint('claimed');
      // Its last lease ended in this very transaction: the claim passes to the new one.
      if (!ending.delete(host.key) && answer.fresh) fresh.add(host.key);
      return answer;
    },
    extend: (host, crawl) => ledger.extend(owner, host.key, termsOf(crawl)),
    release(host, now) {
      fresh.delete(host.key);
      ending.set(host.key, restOf(host, now));
    },
    postpone: (host, now) => void longer.set(host.key, restOf(host, now)),
    abandonAll() {
      abandoning = true;
    },
    committed() {
      fresh.clear();
      if (longer.size > 0) tell(() => ledger.postpone(owner, [...longer.values()]));
      longer.clear();
      endReleased();
    },
    undone() {
      const rests = [...fresh].map((host): HostRest => ({ host, restMs: 0, why: 'gap', endedAgoMs: null }));
      for (const set of [fresh, ending, longer]) set.clear();
      abandoning = false;
      if (rests.length > 0) tell(() => ledger.release(owner, rests));
    },
  };
}

function termsOf({ settings }: CrawlRow): ClaimTerms {
  const { team = defaultTeam, gapMs, leaseTtlMs, maxFetchMs } = settings;
  return { team, gapMs, holdMs: leaseTtlMs + maxFetchMs + gapMs };
}

function restOf({ key, notBefore, lastEnd, why }: HostRow, now: number): HostRest {
  return {
    host: key,
    // An account that is logged out is nothing to other crawls: they wait no longer than the gap.
    restMs: why === 'login' ? 0 : Math.max(0, notBefore - now),
    why,
    endedAgoMs: lastEnd === 0 ? null : Math.max(0, now - lastEnd),
  };
}

/** Names the database: a copy of its file is another one, the same file in a moved folder is not. */
export function ledgerOwner(db: Database, secret: Uint8Array): LedgerOwner {
  const path = db.location();
  const { dev, ino } = path ? statSync(path, { bigint: true }) : { dev: 0n, ino: 0n };
  return createHash('sha256').update(secret).update(`${dev}:${ino}`).digest('base64url') as LedgerOwner;
}
