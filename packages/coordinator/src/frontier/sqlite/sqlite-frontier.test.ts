import { frontierSuite } from '../suite/frontier.suite.ts';
import { openSqliteFrontier } from './sqlite-frontier.ts';

frontierSuite({
  name: 'SQLite in memory',
  open: async (clock) => openSqliteFrontier({ path: ':memory:', clock }),
});
