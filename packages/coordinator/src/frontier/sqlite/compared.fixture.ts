import type { ComparedFrontier, ComparedStore } from '../model/compare.model.ts';
import type { HostLedger } from '../../ledger/host-ledger.ts';
import { openHostLedger } from '../../ledger/sqlite-ledger.ts';
import type { TestClock } from '../suite/clock.fixture.ts';
import type { Database } from '../../sqlite/node-sqlite.ts';
import { openDatabase } from './schema.ts';
import { frontierOn } from './sqlite-frontier.ts';

/**
 * SQLite in memory, made new for each sequence by emptying the tables of one database. With a host ledger that no other
 * crawl uses, it must do the same.
 */
export function comparedSqlite({ withLedger = false } = {}): ComparedStore & { close(): void } {
  const db = openDatabase(':memory:', false);
  const rows = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[];
  const empty = rows.map(({ name }) => `DELETE FROM ${name}`).join(';');
  return {
    async open(clock) {
      db.exec(empty);
      return on(db, clock, withLedger ? openHostLedger({ path: ':memory:', clock }) : undefined);
    },
    close: () => db.close(),
  };
}

function on(db: Database, clock: TestClock, ledger: HostLedger | undefined): ComparedFrontier {
  let refusing = false;
  const failpoint = (name: string) => {
    if (refusing && name === 'before-commit') throw new Error('refused');
  };
  // Small enough that a sequence of a few dozen URLs goes through every fold and merge.
  const seen = { table: 4, tail: 3, runsPerLevel: 2, pace: 2, kept: 5 };
  const frontier = frontierOn(db, {
    clock,
    failpoint,
    sizes: { seen, unlisted: 5 },
    ...(ledger ? { ledger } : {}),
  });
  return {
    // The database stays open for the next sequence.
    frontier: { ...frontier, close: async () => {} },
    restart: async () => on(db, clock, ledger),
    erase: () => Promise.resolve(false),
    refuse(on) {
      refusing = on;
    },
  };
}
