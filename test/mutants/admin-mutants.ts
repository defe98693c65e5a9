import type { Mutant } from './mutant.ts';

const admin = 'packages/console/browser/admin';

/** What admins see and set in the console. */
export const adminMutants: readonly Mutant[] = [
  {
    name: 'admin-empty-quota-is-zero',
    why: 'A team whose quota was left empty could fetch nothing any more.',
    file: `${admin}/team-wish.ts`,
    from: "if (fields[name].trim() === '') continue;",
    to: "if (fields[name].trim() === '') fields[name] = '0';",
    killer: {
      test: `${admin}/team-wish.test.ts`,
      case: 'takes an empty field for no quota and nothing else',
    },
  },
  {
    name: 'admin-quota-in-bytes',
    why: 'A quota of 5 gigabytes would be one of 5 bytes, and all crawls of the team would pause.',
    file: `${admin}/team-wish.ts`,
    from: 'isBytes(name) ? 1e9 : 1',
    to: 'isBytes(name) ? 1 : 1',
    killer: {
      test: `${admin}/team-wish.test.ts`,
      case: 'shows quotas as they are typed, and reads them back',
    },
  },
  {
    name: 'admin-audit-without-its-last-day',
    why: 'Someone who looks for what was changed today would be shown nothing.',
    file: `${admin}/audit-log.ts`,
    from: 'startOfDay(to, 1)',
    to: 'startOfDay(to, 0)',
    killer: {
      test: `${admin}/audit-log.test.ts`,
      case: 'asks for days of the reader, the last one included',
    },
  },
  {
    name: 'audit-page-skips-what-it-did-not-look-at',
    why: 'Behind a page that was full before its end, changes would be missing without a word.',
    file: 'packages/coordinator/src/registry/registry.ts',
    from: 'next: looked < rows.length ? rows[looked - 1]?.cursor : undefined',
    to: 'next: looked < rows.length ? rows.at(-1)?.cursor : undefined',
    killer: {
      test: 'packages/coordinator/src/registry/sqlite-registry.test.ts',
      case: 'reads the audit log from its end, and looks at no more than it is told',
    },
  },
  {
    name: 'audit-filter-takes-later-changes',
    why: 'Someone who asks what was changed until a day would be shown what came later.',
    file: 'packages/coordinator/src/api/families/audit.ts',
    from: 'entry.atMs < toMs &&',
    to: 'entry.atMs !== toMs &&',
    killer: {
      test: 'packages/coordinator/src/api/documents.test.ts',
      case: 'finds changes by who, action, what and when, the newest first',
    },
  },
  {
    name: 'people-of-one-name-are-one',
    why: 'An administrator would count two people with the same name as one.',
    file: `${admin}/session-list.ts`,
    from: 'sessions.map(({ user }) => user)',
    to: 'sessions.map(({ name }) => name)',
    killer: { test: `${admin}/session-list.test.ts`, case: 'counts two people of one name twice' },
  },
  {
    name: 'tabs-cut-without-a-sign',
    why: 'On a phone nobody would know that there are more tabs than are in sight.',
    file: 'packages/console/browser/parts/tab-row.tsx',
    from: "(after > 1 ? ['after'] : [])",
    to: "(after < 1 ? ['after'] : [])",
    killer: { test: 'packages/console/browser/parts/tab-row.test.ts', case: 'says on which sides' },
  },
  {
    name: 'refused-tab-stays-open',
    why: 'A tab whose session was ended would show old figures for ever, and never the log-in screen.',
    file: 'packages/protocol/src/api/stream-client.ts',
    from: 'const isRefused = code === streamCloses.refused;',
    to: 'const isRefused = code === streamCloses.bye;',
    killer: {
      test: 'packages/protocol/src/api/stream-client.test.ts',
      case: 'gives up where the token is not accepted',
    },
  },
  {
    name: 'log-in-refused-in-json',
    why: 'Somebody without a grant would be left with a line of JSON in the browser.',
    file: 'packages/coordinator/src/api/http/browser-page.ts',
    from: "return isPage && accept?.includes('text/html') === true;",
    to: "return isPage && accept === 'text/html' && false;",
    killer: {
      test: 'packages/coordinator/src/log-in/log-in.test.ts',
      case: 'refuses a person with a page',
    },
  },
];
