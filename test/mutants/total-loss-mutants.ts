import type { Mutant } from './mutant.ts';

const rebuild = 'packages/cli/src/commands/results/rebuild.test.ts';
const asksLittle = 'asks only for robots.txt and for what the archive cannot answer';

/** Backups, and crawls that start again from archives. */
export const totalLossMutants: readonly Mutant[] = [
  {
    name: 'rebuilt-without-sitemaps',
    why: 'Pages that only a sitemap names would be lost.',
    file: 'packages/worker/src/session/host-session.ts',
    from: 'if (asksRobots) await permits.ask(targetOf(entry.url));',
    to: 'void asksRobots;',
    killer: { test: rebuild, case: 'finds again what only a sitemap names' },
  },
  {
    name: 'rebuilt-with-errors',
    why: 'A page that was ill when the store was lost would stay so.',
    file: 'packages/worker/src/stored/rebuilt-answers.ts',
    from: 'status < 400 && status !== 304',
    to: 'status < 600 && status !== 304',
    killer: { test: rebuild, case: asksLittle },
  },
  {
    name: 'rebuilt-without-same-bodies',
    why: 'Pages whose body another page has as well would be requested again.',
    file: 'packages/worker/src/stored/rebuilt-answers.ts',
    from: "const isWanted = record.type === 'response' && ids.has(id);",
    to: "const isWanted = record.type === 'resource' && ids.has(id);",
    killer: { test: rebuild, case: asksLittle },
  },
  {
    name: 'backup-without-log',
    why: 'What was recorded last would be missing in a backup, or a transaction would be half in it.',
    file: 'packages/coordinator/src/folder/backup-folder.ts',
    from: "if (from.endsWith('.db')) copyDatabase(from, to);\n    else await copyFile(from, to);",
    to: 'await copyFile(from, to);',
    killer: {
      test: 'packages/coordinator/src/folder/backup-folder.test.ts',
      case: 'copies a database that is being written to',
      says: 'no such table',
    },
  },
];
