import type { Mutant } from './mutant.ts';

const rules = 'packages/coordinator/src/host-rules';
const onSqlite = 'packages/coordinator/src/frontier/sqlite/sqlite-frontier.test.ts';
const session = 'packages/worker/src/session';

/** What operators and site owners decided about hosts. */
export const hostRuleMutants: readonly Mutant[] = [
  {
    name: 'blocked-host-leased',
    why: 'A blocked host would be crawled as before.',
    file: `${rules}/ruled-link.ts`,
    from: 'back.push(refusal(lease, treatment, clock.now()));',
    to: 'granted.push(lease);',
    killer: { test: onSqlite, case: 'host rules > settle what is queued on a blocked host' },
  },
  {
    name: 'longer-pause-forgets-the-last-request',
    why: 'The first request under a longer pause would come too soon after the last one.',
    file: `${rules}/ruled-link.ts`,
    from: 'else if (restMs(lease, treatment.pace) > 0) back.push(putOff(lease, treatment.pace));',
    to: '',
    killer: { test: onSqlite, case: 'host rules > keep a longer pause from the last request on' },
  },
  {
    name: 'pause-as-the-worker-says',
    why: 'A worker that knows an older rule would decide how long everybody leaves the host alone.',
    file: `${rules}/ruled-link.ts`,
    from: 'return { ...report, news: { ...news, ...pauseOf(pace) } };',
    to: 'return report;',
    killer: { test: onSqlite, case: 'host rules > keep a longer pause from the last request on' },
  },
  {
    name: 'forbidden-host-renewed',
    why: 'A worker that missed the order would keep a forbidden host for as long as it likes.',
    file: `${rules}/ruled-link.ts`,
    from: "leases.filter(({ host }) => ruling.of(host)?.kind !== 'refuse')",
    to: 'leases.filter(() => true)',
    killer: {
      test: onSqlite,
      case: 'host rules > take a host back from a worker that does not know of them',
    },
  },
  {
    name: 'robots-of-forbidden-host-read',
    why: 'The robots.txt of a site whose owner opted out would be requested for another site.',
    file: `${rules}/ruled-link.ts`,
    from: "if (treatment?.kind === 'refuse') return { granted: false, refused: treatment.detail };",
    to: "if (treatment?.kind === 'refuse') return await link.leaseHost(request);",
    killer: {
      test: onSqlite,
      case: 'host rules > grant no lease of a single host that may not be contacted',
    },
  },
  {
    name: 'opt-out-of-a-domain-overruled',
    why: 'A rule for one host would undo what its owner asked for.',
    file: `${rules}/rule-set.ts`,
    from: '    if (out) return',
    to: '    if (out && !rules.has(host)) return',
    killer: {
      test: `${rules}/rule-set.test.ts`,
      case: 'a table of host rules > puts the opt-out of a domain before any rule',
    },
  },
  {
    name: 'rule-of-a-team-for-all',
    why: 'An operator of one team could stop the crawls of every other team.',
    file: `${rules}/rule-id.ts`,
    from: 'return team === undefined ? { match } : { match, team };',
    to: 'return { match };',
    killer: { test: `${rules}/rule-set.test.ts`, case: 'in its own crawls and nowhere else' },
  },
  {
    name: 'team-lifts-a-block-for-all',
    why: 'A team could fetch from a host that an admin has blocked for everyone.',
    file: `${rules}/rule-set.ts`,
    from: 'return own === undefined ? common : stricter(',
    to: 'return own === undefined ? common : ((_: unknown, b: Ruling | undefined) => b)(',
    killer: {
      test: `${rules}/rule-set.test.ts`,
      case: 'make nothing weaker that holds in all crawls',
    },
  },
  {
    name: 'operator-rules-all-teams',
    why: 'An operator could set or delete rules for the crawls of all teams.',
    file: 'packages/coordinator/src/api/families/hosts.ts',
    from: 'if (team === undefined) refuse(',
    to: 'if (team === null) refuse(',
    killer: {
      test: 'packages/coordinator/src/api/families/hosts.test.ts',
      case: 'are not changed by other teams',
      says: 'to deeply equal',
    },
  },
  {
    name: 'team-shortens-a-pause-for-all',
    why: 'A team could ask a host more often than an admin allows everyone.',
    file: `${rules}/rule-set.ts`,
    from: 'b.gapMs > a.gapMs ? b : a;',
    to: 'b.gapMs > 0 ? b : a;',
    killer: {
      test: `${rules}/rule-set.test.ts`,
      case: 'make nothing weaker that holds in all crawls',
    },
  },
  {
    name: 'rules-shown-to-other-teams',
    why: 'A team could read which hosts another team crawls, and the notes about them.',
    file: 'packages/coordinator/src/api/families/hosts.ts',
    from: 'team === undefined || team === teamIn(principal);',
    to: 'team === undefined || teamIn(principal) !== undefined;',
    killer: {
      test: 'packages/coordinator/src/api/families/hosts.test.ts',
      case: 'hold in the crawls of the team that set them, and only an admin sets them for all',
    },
  },
  {
    name: 'operator-rules-all-hosts',
    why: 'One mistyped pattern of an operator would end all crawls of its team.',
    file: 'packages/coordinator/src/api/families/hosts.ts',
    from: "if (match === '*') refuse(",
    to: "if (match === '**') refuse(",
    killer: {
      test: 'packages/coordinator/src/api/families/hosts.test.ts',
      case: 'are not changed by other teams, and those of an admin by no operator',
    },
  },
  {
    name: 'operator-rests-a-host-for-days',
    why: 'A team could keep a host from all other teams by one request a day.',
    file: 'packages/coordinator/src/api/families/hosts.ts',
    from: "if (scope === 'admin' || gapMs <= mostOwnGapMs) return;",
    to: "if (scope === 'admin' || gapMs >= 0) return;",
    killer: {
      test: 'packages/coordinator/src/api/families/hosts.test.ts',
      case: 'have pauses that other teams can wait for',
    },
  },
  {
    name: 'operator-undoes-an-admin',
    why: 'An operator could lift the block that an admin set for its team.',
    file: 'packages/coordinator/src/api/families/hosts.ts',
    from: 'byAdmin === true)',
    to: "byAdmin === 'never')",
    killer: {
      test: 'packages/coordinator/src/api/families/hosts.test.ts',
      case: 'are not changed by other teams',
      says: 'to deeply equal',
    },
  },
  {
    name: 'release-of-hosts-ignored',
    why: 'A worker would continue with its lease of a host whose owner opted out.',
    file: 'packages/worker/src/worker.ts',
    from: 'if (patterns.some((pattern) => fitsHost(pattern, held.ref.host))) held.lose();',
    to: 'void fitsHost;',
    killer: {
      test: `${session}/give-back.test.ts`,
      case: 'stops before the next request on hosts for which other rules hold now',
      says: 'length',
    },
  },
  {
    name: 'pace-of-lease-ignored',
    why: 'A host with a longer pause would be contacted as often as any other.',
    file: `${session}/session.ts`,
    from: 'return pace ?? {',
    to: 'return {',
    killer: { test: `${session}/host-session.test.ts`, case: 'the pace of a lease > names the rule' },
  },
];
