import type { HostKey } from '@webfarer/protocol';
import type { Database } from '../sqlite/node-sqlite.ts';
import type { LedgerOwner } from './host-ledger.ts';

/** Who asks for a host. */
interface Asking {
  host: HostKey;
  owner: LedgerOwner;
  team: string;
}

/** A place in line: when the team had its last turn, and the owner its own or was first refused. */
interface Place {
  turn: number;
  since: number;
}

/**
 * Who is next on a host: the team whose last turn is longest ago, and of its owners the one that has waited longest since
 * its own. A team with many crawls has no more of a host than one with a single crawl.
 */
export interface WaitingLine {
  /** When the owner had its last turn, or was first refused; undefined: it was never refused. */
  since(host: HostKey, owner: LedgerOwner): number | undefined;
  /** It was refused, and is waited for until then. */
  wait(asking: Asking, when: { since: number; expires: number }): void;
  /** It has its turn, and is last in line from now on. False: another that is waited for comes before. */
  takesTurn(asking: Asking, when: { since: number | undefined; now: number }): boolean;
  /** What is older says nothing any more. */
  trim(before: number): void;
  /** Of before the machine was started. */
  forgetAhead(now: number): void;
}

export function waitingLine(db: Database): WaitingLine {
  const selectWaiter = db.prepare('SELECT since FROM waiters WHERE host = ? AND owner = ?');
  const firstWaiter = db.prepare(
    `SELECT coalesce(at, 0) AS turn, since FROM waiters LEFT JOIN turns USING (host, team)
     WHERE host = ? AND owner <> ? AND expires > ? ORDER BY turn, since LIMIT 1`,
  );
  const putWaiter = db.prepare('INSERT OR REPLACE INTO waiters VALUES (?, ?, ?, ?, ?)');
  const selectTurn = db.prepare('SELECT at FROM turns WHERE host = ? AND team = ?');
  const putTurn = db.prepare('INSERT OR REPLACE INTO turns VALUES (?, ?, ?)');
  const trimWaiters = db.prepare('DELETE FROM waiters WHERE expires < ?');
  const trimTurns = db.prepare('DELETE FROM turns WHERE at < ?');

  const turnOf = ({ host, team }: Asking) =>
    (selectTurn.get(host, team) as { at: number } | undefined)?.at ?? 0;

  return {
    since: (host, owner) => (selectWaiter.get(host, owner) as { since: number } | undefined)?.since,
    wait: ({ host, owner, team }, when) => void putWaiter.run(host, owner, when.since, when.expires, team),
    takesTurn(asking, { since: waited, now }) {
      const { host, owner, team } = asking;
      const other = firstWaiter.get(host, owner, now) as Place | undefined;
      if (other && isBefore(other, { turn: turnOf(asking), since: waited ?? now })) return false;
      // Also for crawls that a restart has kept from asking: by their last turns they know their places.
      if (waited !== undefined) putWaiter.run(host, owner, now, now, team);
      // Where nobody waits, turns decide nothing.
      if (waited !== undefined || other) putTurn.run(host, team, now);
      return true;
    },
    trim(before) {
      trimWaiters.run(before);
      trimTurns.run(before);
    },
    forgetAhead(now) {
      db.prepare('DELETE FROM waiters WHERE since > ?').run(now);
      db.prepare('DELETE FROM turns WHERE at > ?').run(now);
    },
  };
}

function isBefore(a: Place, b: Place): boolean {
  return a.turn === b.turn ? a.since < b.since : a.turn < b.turn;
}
