import type { Clock, HostKey, WaitReason } from '@webfarer/protocol';
import type { ClaimAnswer, ClaimTerms, HostLedger, HostRest, LedgerOwner } from './host-ledger.ts';
import type { ProcessLiveness } from './process-liveness.ts';
import { asLedgerError, codeOf, openLedgerFile } from './ledger-file.ts';
import { waitingLine } from './waiting-line.ts';

export interface HostLedgerOptions {
  /** A file that the crawls of a machine share, made if need be, or `:memory:`. */
  path: string;
  /** `machineClock()`, which is the same in all processes; tests have their own. */
  clock: Pick<Clock, 'now'>;
  /**
   * Claims made here die with this process: nobody else contacts hosts for it. Absent where workers elsewhere may
   * outlive it; their claims run out.
   */
  liveness?: ProcessLiveness;
}

interface HostRow {
  at: number;
  not_before: number;
  why: WaitReason;
  last_end: number | null;
  held_until: number;
  gap: number;
  holder: string;
  process: string | null;
}

const unknown: HostRow = {
  at: 0,
  not_before: 0,
  why: 'gap',
  last_end: null,
  held_until: 0,
  gap: 0,
  holder: '',
  process: null,
};

/** Who is refused asks again after one gap, within these bounds. */
const soonestMs = 50;
const latestMs = 1_000;
/** Who has not asked again for so much longer than it was told to wait is not waited for. */
const graceMs = 2_000;
/** Worker processes end by themselves when the process that started them is gone; this is ample time for it. */
const endingMs = 5_000;
/** A host row is kept so long after its last request, because gaps may be of any length; a place in line likewise. */
const keptMs = 3_600_000;
/** Claims between two looks for rows that say nothing any more, and rows that one look removes. */
const claimsPerTrim = 500;
const rowsPerTrim = 1_000;
/** SQLite's result code. */
const busy = 5;

/** The ledger of one machine, in one small SQLite file without a daemon. */
export function openHostLedger({ path, clock, liveness }: HostLedgerOptions): HostLedger {
  const db = openLedgerFile(path);
  const select = db.prepare('SELECT * FROM hosts WHERE host = ?');
  const upsert = db.prepare('INSERT OR REPLACE INTO hosts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const abandonHeld = db.prepare(
    `UPDATE hosts SET at = :now, not_before = max(not_before, :now + gap), why = 'gap', held_until = 0
     WHERE holder = :owner AND held_until > :now`,
  );
  const disown = db.prepare("UPDATE hosts SET held_until = 0, holder = '' WHERE holder = ?");
  const trimHosts = db.prepare(
    `DELETE FROM hosts WHERE host IN (SELECT host FROM hosts WHERE held_until < :now AND not_before < :now
     AND coalesce(last_end, 0) < :now - ${keptMs} LIMIT ${rowsPerTrim})`,
  );
  const line = waitingLine(db);
  let claims = 0;

  function transaction<T>(work: (now: number) => T): T {
    try {
      db.exec('BEGIN IMMEDIATE');
      const answer = work(clock.now());
      db.exec('COMMIT');
      return answer;
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw asLedgerError(error, path);
    }
  }

  const rowOf = (host: HostKey) => (select.get(host) as HostRow | undefined) ?? unknown;

  function put(host: HostKey, row: HostRow): void {
    const { at, not_before, why, last_end, held_until, gap, holder, process } = row;
    upsert.run(host, at, not_before, why, last_end, held_until, gap, holder, process);
  }

  function claimOf(now: number, holder: LedgerOwner, { holdMs, gapMs }: ClaimTerms) {
    return { at: now, held_until: now + holdMs, gap: gapMs, holder, process: liveness?.own ?? null };
  }

  /** The claim of a process that has ended need not run out: its host owes a gap from when nobody can talk to it. */
  function withoutDead(now: number, owner: LedgerOwner, row: HostRow): HostRow {
    if (row.process === null || row.holder === owner || row.held_until <= now) return row;
    if (liveness === undefined || liveness.isAlive(row.process)) return row;
    const not_before = Math.max(row.not_before, now + endingMs + row.gap);
    return { ...row, at: now, not_before, why: 'gap', held_until: 0, holder: '', process: null };
  }

  /** When the host is free for a crawl with this gap, by the clocks alone. */
  function freeAt({ not_before, last_end }: HostRow, gapMs: number): number {
    return Math.max(not_before, last_end === null ? 0 : last_end + gapMs);
  }

  function refuse(
    owner: LedgerOwner,
    host: HostKey,
    { now, since, team, ...answer }: { now: number; since: number | undefined; team: string } & Refusal,
  ): ClaimAnswer {
    // Who must wait for long, because the host asked for it, does not keep others from it meanwhile.
    const expires = now + Math.min(answer.retryAfterMs, latestMs) + graceMs;
    line.wait({ host, owner, team }, { since: since ?? now, expires });
    return { claimed: false, ...answer };
  }

  function claimAt(now: number, owner: LedgerOwner, host: HostKey, terms: ClaimTerms): ClaimAnswer {
    const found = rowOf(host);
    const row = withoutDead(now, owner, found);
    if (row !== found) put(host, row);
    const { team } = terms;
    const own = row.holder === owner;
    const held = row.held_until > now;
    const again = Math.min(latestMs, Math.max(soonestMs, terms.gapMs));
    const since = line.since(host, owner);
    if (held && !own) {
      const retryAfterMs = Math.min(row.held_until - now, again);
      return refuse(owner, host, { now, since, team, retryAfterMs, why: 'other-crawl' });
    }
    // The clocks of its own last contact are the owner's to keep, by its own clock.
    const free = own ? 0 : freeAt(row, terms.gapMs);
    if (free > now) {
      const why = free === row.not_before ? row.why : 'gap';
      return refuse(owner, host, { now, since, team, retryAfterMs: free - now, why });
    }
    if (!line.takesTurn({ host, owner, team }, { since, now }))
      return refuse(owner, host, { now, since, team, retryAfterMs: again, why: 'other-crawl' });
    put(host, { ...row, ...claimOf(now, owner, terms) });
    return { claimed: true, fresh: !(held && own) };
  }

  function rest(now: number, row: HostRow, { restMs, why, endedAgoMs }: HostRest): HostRow {
    const later = now + restMs > row.not_before;
    const ended = endedAgoMs === null ? row.last_end : Math.max(row.last_end ?? 0, now - endedAgoMs);
    return {
      ...row,
      at: now,
      last_end: ended,
      ...(later ? { not_before: now + restMs, why } : {}),
    };
  }

  function restAll(owner: LedgerOwner, rests: HostRest[], change: Partial<HostRow>): void {
    transaction((now) => {
      for (const one of rests) {
        const row = rowOf(one.host);
        if (row.holder === owner) put(one.host, { ...rest(now, row, one), ...change });
      }
    });
  }

  function trim(now: number): void {
    claims = (claims + 1) % claimsPerTrim;
    if (claims !== 1) return;
    trimHosts.run({ now });
    line.trim(now - keptMs);
  }

  // Times ahead of the clock are of before the machine was started: what was left to wait then is left to wait now.
  transaction((now) => {
    db.prepare(
      `UPDATE hosts SET at = :now, not_before = not_before - at + :now, last_end = last_end - at + :now,
       held_until = held_until - at + :now WHERE at > :now`,
    ).run({ now });
    line.forgetAhead(now);
  });

  return {
    claim(owner, host, terms) {
      try {
        return transaction((now) => {
          trim(now);
          return claimAt(now, owner, host, terms);
        });
      } catch (error) {
        // Another process was stopped in the middle of its transaction: waiting is polite, failing is not needed.
        if (codeOf((error as Error).cause) !== busy) throw error;
        return { claimed: false, retryAfterMs: latestMs, why: 'other-crawl' };
      }
    },
    extend: (owner, host, terms) =>
      transaction((now) => {
        const row = rowOf(host);
        // A ledger that was lost knows no holder: the lease is as good as before.
        if (row.holder !== owner && row.holder !== '') return false;
        put(host, { ...row, ...claimOf(now, owner, terms) });
        return true;
      }),
    release: (owner, rests) => restAll(owner, rests, { held_until: 0 }),
    postpone: (owner, rests) => restAll(owner, rests, {}),
    abandon: (owner) =>
      transaction((now) => {
        abandonHeld.run({ now, owner });
        disown.run(owner);
      }),
    close() {
      if (db.isOpen) db.close();
    },
  };
}

type Refusal = Omit<Extract<ClaimAnswer, { claimed: false }>, 'claimed'>;
