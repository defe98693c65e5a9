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
    from: "(name.startsWith('bytes') ? 1e9 : 1)",
    to: "(name.startsWith('bytes') ? 1 : 1)",
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
];
