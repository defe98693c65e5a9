import type { Mutant } from './mutant.ts';

const registry = 'packages/coordinator/src/registry';
const logIn = 'packages/coordinator/src/log-in';
const teams = 'packages/coordinator/src/teams';
const tokens = 'packages/coordinator/src/tokens';
const api = 'packages/coordinator/src/api';
const documents = `${api}/documents.test.ts`;

/** What operators write, and who may do what. */
export const registryMutants: readonly Mutant[] = [
  {
    name: 'registry-last-writer-wins',
    why: 'Of two operators who edit a policy at once, one would overwrite the other without knowing.',
    file: `${registry}/sqlite-registry.ts`,
    from: "if ((row?.version ?? 0) !== known) return { kind: 'stale', doc: docOrNone(row) };",
    to: "if (known < 0) return { kind: 'stale', doc: docOrNone(row) };",
    killer: {
      test: `${registry}/sqlite-registry.test.ts`,
      case: 'lets one of several that create a document win',
    },
  },
  {
    name: 'registry-numbers-repeat',
    why: 'After a backup was restored, a change could be applied to another document than its author saw.',
    file: `${registry}/sqlite-registry.ts`,
    from: 'Math.max(meta().latest + 1, Math.round(clock.wall()))',
    to: 'meta().latest + 1',
    killer: {
      test: `${registry}/sqlite-registry.test.ts`,
      case: 'a store that went back in time repeats neither a version nor a generation',
    },
  },
  {
    name: 'registry-forgets-silently',
    why: 'A coordinator that was cut off for a while would never learn of some changes, such as a revoked token.',
    file: 'packages/coordinator/src/redis/lua/registry-changes.lua',
    from: 'if since < num(v[2] or 0) or since > latest then',
    to: 'if since > latest then',
    killer: {
      test: `${registry}/redis-registry.test.ts`,
      case: 'says so where it no longer knows all changes',
    },
  },
  {
    name: 'token-revoked-accepted',
    why: 'A stolen token could not be taken out of use.',
    file: `${tokens}/token-book.ts`,
    from: 'doc.value.revokedAtMs === undefined ? doc.value.secrets',
    to: 'doc.value ? doc.value.secrets',
    killer: {
      test: `${tokens}/token-book.test.ts`,
      case: 'rejects a revoked token within five seconds',
      says: 'to be undefined',
    },
  },
  {
    name: 'token-never-ends',
    why: 'An expired token, or the old secret of a rotated one, would stay valid for ever.',
    file: `${tokens}/token-book.ts`,
    from: 'if (endsAtMs <= nowMs) return undefined;',
    to: 'if (endsAtMs <= 0) return undefined;',
    killer: {
      test: `${tokens}/token-book.test.ts`,
      case: 'accepts both secrets while a rotation overlaps, then the new one',
    },
  },
  {
    name: 'token-prefix-enough',
    why: 'Whoever finds a text whose digest begins like that of a token would be let in.',
    file: `${tokens}/token-book.ts`,
    from: 'near.find(({ secret }) => isSameDigest(digest, secret.digest))',
    to: 'near.find(({ secret }) => secret.digest.startsWith(digest.slice(0, 8)))',
    killer: {
      test: `${tokens}/token-book.test.ts`,
      case: 'knows the holder of a token that another process made, and nobody else',
    },
  },
  {
    name: 'other-team-visible',
    why: 'Every team could read and stop the crawls of the others.',
    file: `${api}/call/crawl-teams.ts`,
    from: 'if (entry && !maySee(call.principal, entry)) throw noSuchCrawl(crawl);',
    to: 'if (!entry) throw noSuchCrawl(crawl);',
    killer: {
      test: documents,
      case: 'a crawl of another team is as if there were none, on every route that names one',
    },
  },
  {
    name: 'quota-counted-apart',
    why: 'Crawls that are created at the same moment would pass a quota together.',
    file: `${teams}/teams.ts`,
    from: "if (answer.kind === 'changed') return next;",
    to: 'return next;',
    killer: {
      test: `${teams}/teams.test.ts`,
      case: 'lets as many crawls be created at once as the quota says, on all coordinators together',
    },
  },
  {
    name: 'team-without-default-quotas',
    why: 'A team could open crawls until the coordinators of all teams have no memory left.',
    file: `${teams}/teams.ts`,
    from: 'standing ? defaultQuotas : {}',
    to: '{}',
    killer: {
      test: `${teams}/teams.test.ts`,
      case: 'has defaults for the open crawls and the seeds of a team that nobody has described',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'seeds-without-quota',
    why: 'Few crawls with very many seeds would take the memory that many crawls may not.',
    file: `${teams}/open-crawls.ts`,
    from: 'bytes > quotas.seedBytes',
    to: 'seedBytes > quotas.seedBytes',
    killer: {
      test: `${teams}/teams.test.ts`,
      case: 'counts the bytes of the seeds of open crawls together',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'resumed-past-the-quota',
    why: 'A team could create and stop crawls one after another, and resume them all at once.',
    file: 'packages/coordinator/src/own-crawls/crawls-by-name.ts',
    from: 'if (before && !isOpen(before.wanted)) await options.mayOpen(before);',
    to: '',
    killer: { test: documents, case: 'quotas of a team are enforced when a crawl is created' },
  },
  {
    name: 'scheduled-past-the-quota',
    why: 'A team could open crawls without end by schedules.',
    file: 'packages/coordinator/src/schedule/catalog-runs.ts',
    from: 'if (!(await catalog.find(name))) await options.mayOpen({ name, job: input });',
    to: '',
    killer: {
      test: 'packages/coordinator/src/schedule/catalog-runs.test.ts',
      case: 'enters no run that its team may not have open, and goes on with one that it has',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'unsigned-log-in',
    why: 'Whoever can answer for the provider once could log in as anybody.',
    file: `${logIn}/issuer.ts`,
    from: 'oidc.enableNonRepudiationChecks,',
    to: '',
    killer: { test: `${logIn}/log-in.test.ts`, case: 'refuses an ID token that is forged or expired' },
  },
  {
    name: 'session-without-origin',
    why: 'Another site could make the browser of a user change something.',
    file: `${api}/http/app.ts`,
    from: "method !== 'GET' && !isSameOrigin(header)",
    to: 'isCrossOrigin(header)',
    killer: {
      test: `${logIn}/log-in.test.ts`,
      case: 'changes something with a session only for a page of this very origin',
    },
  },
  {
    name: 'debts-forgiven',
    why: 'A team whose turn came late would never get what the others were granted beyond theirs.',
    file: 'packages/coordinator/src/link/fair-turns.ts',
    from: 'return busy.has(key) ? own : Math.max(own, level);',
    to: 'return (level = Math.max(own, level));',
    killer: {
      test: 'packages/coordinator/src/link/fair-turns.test.ts',
      case: 'owes a team what others were granted beyond their turn',
    },
  },
  {
    name: 'late-look-counted',
    why: 'A coordinator that sees a crawl a little late would make its pages count twice.',
    file: `${teams}/team-usage.ts`,
    from: 'pages: Math.max(before.pages, one.pages)',
    to: 'pages: one.pages',
    killer: {
      test: `${teams}/teams.test.ts`,
      case: 'counts each page once, whichever coordinators see it, and however late',
    },
  },
];
