import { openHostLedger } from '../../ledger/sqlite-ledger.ts';
import { frontierSuite } from '../suite/frontier.suite.ts';
import { openSqliteFrontier } from './sqlite-frontier.ts';

frontierSuite({
  name: 'SQLite in memory',
  open: async (clock) => openSqliteFrontier({ path: ':memory:', clock }),
});

frontierSuite({
  name: 'SQLite in memory with a host ledger',
  open: async (clock) =>
    openSqliteFrontier({ path: ':memory:', clock, ledger: openHostLedger({ path: ':memory:', clock }) }),
});
