import { clockOf, mustSettle } from './allowance.ts';
import type { Hold } from './holds.ts';
import type { PairRow, StoredPair } from './host-state.ts';
import type { Database } from '../../../sqlite/node-sqlite.ts';
import { isFull } from './sites.ts';

/** What follows from a pair's own numbers and its host's clocks: the columns the indexes are made of. */
function standing(pair: PairRow, hold: Hold | undefined) {
  if (pair.queued === 0) return { due: null, doomed: 0, blocked: 0, busy: 0 };
  if (mustSettle(pair) !== undefined) return { due: null, doomed: 1, blocked: 0, busy: 1 };
  if (isFull(pair.site)) return { due: null, doomed: 0, blocked: 1, busy: 1 };
  return { due: Math.max(pair.ready, clockOf(pair.host, pair.crawl, hold)), doomed: 0, blocked: 0, busy: 1 };
}

export function pairWriter(db: Database): {
  write(pair: PairRow, hold: Hold | undefined, upto: number): void;
} {
  const insert = db.prepare('INSERT INTO pairs VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)');
  const updateSums = db.prepare(
    `UPDATE pairs SET known = ?, queued = ?, leased = ?, done_pages = ?, leased_pages = ?, bytes = ?,
     troubles = ?, dead = ?, ready = ?, turn = ?, upto = ? WHERE id = ?`,
  );
  // Apart from the above, because naming an indexed column in an UPDATE rewrites its index.
  const updateDue = db.prepare('UPDATE pairs SET due = ? WHERE id = ?');
  const updateStanding = db.prepare(
    'UPDATE pairs SET due = ?, doomed = ?, blocked = ?, busy = ? WHERE id = ?',
  );

  function update(stored: StoredPair, next: StoredPair): void {
    const { id, due } = next;
    if (sums.some((column) => column !== 'upto' && stored[column] !== next[column])) {
      const { known, queued, leased, done_pages, leased_pages, bytes, troubles } = next;
      const { dead, ready, turn, upto } = next;
      updateSums.run(
        known,
        queued,
        leased,
        done_pages,
        leased_pages,
        bytes,
        troubles,
        dead,
        ready,
        turn,
        upto,
        id,
      );
    }
    const sameStanding =
      stored.doomed === next.doomed && stored.blocked === next.blocked && stored.busy === next.busy;
    if (!sameStanding) updateStanding.run(due, next.doomed, next.blocked, next.busy, id);
    else if (stored.due !== due) updateDue.run(due, id);
  }

  return {
    write(pair, hold, upto) {
      const { id, crawl, host, stored } = pair;
      const next: StoredPair = {
        id,
        crawl: crawl.id,
        host: host.id,
        site: host.siteId,
        known: pair.known,
        queued: pair.queued,
        leased: pair.leased,
        done_pages: pair.donePages,
        leased_pages: pair.leasedPages,
        bytes: pair.bytes,
        troubles: pair.troubles,
        dead: pair.dead,
        ready: pair.ready,
        turn: pair.turn,
        upto,
        ...standing(pair, hold),
      };
      if (stored) update(stored, next);
      else insert.run(...columns.map((column) => next[column]));
      pair.stored = next;
    },
  };
}

const sums = [
  ...(['known', 'queued', 'leased', 'done_pages', 'leased_pages', 'bytes', 'troubles'] as const),
  ...(['dead', 'ready', 'turn', 'upto'] as const),
];
const columns = [
  ...(['id', 'crawl', 'host', 'site'] as const),
  ...sums,
  ...(['due', 'doomed', 'blocked', 'busy'] as const),
];
