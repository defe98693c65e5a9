import type { Mutant } from './mutant.ts';

const coordinator = 'packages/coordinator/src';
const ledger = `${coordinator}/ledger/sqlite-ledger`;
const sharing = 'leases and clocks > teams take turns on a host, then the crawls of each';

/** What keeps one team, one crawl or one job from being a matter of all others. */
export const borderMutants: readonly Mutant[] = [
  {
    name: 'ledger-teams-ignored',
    why: 'Thirty crawls of one team on a host would leave another team with one turn of 31.',
    file: `${coordinator}/ledger/waiting-line.ts`,
    from: 'return a.turn === b.turn ? a.since < b.since : a.turn < b.turn;',
    to: 'return a.since < b.since;',
    killer: {
      test: `${ledger}.test.ts`,
      case: 'the host ledger > lets teams take turns, and then the owners of each',
    },
  },
  {
    name: 'ledger-turn-of-a-new-crawl-uncharged',
    why: 'A team would have a turn more with each crawl that asks for a host for the first time.',
    file: `${coordinator}/ledger/waiting-line.ts`,
    from: 'if (waited !== undefined || other) putTurn.run(',
    to: 'if (waited !== undefined) putTurn.run(',
    killer: {
      test: `${ledger}.test.ts`,
      case: 'the host ledger > gives a team no turn more for an owner that is new each time',
    },
  },
  {
    name: 'sqlite-teams-ignored',
    why: 'A team with many crawls would have most turns on a host.',
    file: `${coordinator}/frontier/sqlite/granting.ts`,
    from: '  if (of !== than) return of < than;\n',
    to: '',
    killer: {
      test: `${coordinator}/frontier/sqlite/sqlite-frontier.test.ts`,
      case: `frontier: SQLite in memory > ${sharing}`,
    },
  },
  {
    name: 'redis-teams-ignored',
    why: 'The same for crawls in a store.',
    file: `${coordinator}/redis/lua/lease.lua`,
    from: 'if turns[a.m.team] ~= turns[b.m.team] then',
    to: 'if false then',
    killer: {
      test: `${coordinator}/frontier/redis/redis-frontier.test.ts`,
      case: `frontier: Redis > ${sharing}`,
    },
  },
  {
    name: 'sweep-of-a-lost-queue',
    why: 'A queue that a store has lost would keep every sweep of its group busy for ever.',
    file: `${coordinator}/redis/lua/sweep.lua`,
    from: 'p.has = false\n          add',
    to: 'add',
    killer: {
      test: `${coordinator}/frontier/redis/set-aside.test.ts`,
      case: 'ends a sweep where the queue of a host that is to be settled is lost',
      says: 'expected true to be false',
    },
  },
  {
    name: 'delete-opens-the-job',
    why: 'A crawl whose job is refused by now could never be deleted.',
    file: 'packages/cli/src/local/local-crawl.ts',
    from: "asGiven(readableJob(crawl.job, ['save']))",
    to: 'asGiven(resolveJob(crawl.job))',
    killer: {
      test: 'packages/cli/src/local/crawl-host.test.ts',
      case: 'finds what a crawl has in object storage although its job cannot be run any more',
      says: 'lookahead',
    },
  },
  {
    name: 'delete-guesses-the-place',
    why: 'Archives in object storage would be left there without a word where their place cannot be read.',
    file: 'packages/cli/src/local/local-crawl.ts',
    from: "readableJob(crawl.job, ['save'])",
    to: 'readableJob(crawl.job)',
    killer: {
      test: 'packages/cli/src/local/crawl-host.test.ts',
      case: 'does not guess where objects are',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'edit-opens-the-job',
    why: 'A crawl whose job is refused by now could not be made to run again by changing the job.',
    file: `${coordinator}/own-crawls/crawls-by-name.ts`,
    from: '{ ...readableJob(entry.job), name }',
    to: 'resolve(entry.job)',
    killer: {
      test: `${coordinator}/refused-job.test.ts`,
      case: 'does not run it by what is left of its job, and runs it once that is changed',
    },
  },
  {
    name: 'stuck-deletion-ends-all',
    why: 'One folder that cannot be deleted would end the coordinator, again at each start.',
    file: `${coordinator}/own-crawls/crawl-deleter.ts`,
    from: 'createTroubles(clock, options.stuck)',
    to: 'createTroubles(clock, (_, error) => failed(error))',
    killer: {
      test: `${coordinator}/own-crawls/crawl-deleter.test.ts`,
      case: 'does not let one that cannot be erased here keep others',
    },
  },
  {
    name: 'retention-error-ends-all',
    why: 'One crawl that retention cannot delete would end the coordinator.',
    file: `${coordinator}/maintenance/retirer.ts`,
    from: 'options.stuck(entry, error);',
    to: 'throw error;',
    killer: {
      test: `${coordinator}/maintenance/retirer.test.ts`,
      case: 'reports a crawl that cannot be deleted, and deletes the others',
      says: 'not permitted',
    },
  },
  {
    name: 'unreadable-schedule-unseen',
    why: 'Writing a schedule of a later version would keep a coordinator busy for ever.',
    file: `${coordinator}/schedule/schedules.ts`,
    from: 'if (doc && !read) throw unreadable(id);',
    to: '',
    killer: {
      test: `${coordinator}/schedule/schedules.test.ts`,
      case: 'answers an error where this version cannot read the schedule, and can delete it',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'default-quotas-unseen',
    why: 'A team could not read the quotas that it is held to.',
    file: `${coordinator}/api/families/teams.ts`,
    from: "?? { name, version: 0, note: '', weight: 1, quotas: {} };",
    to: '?? none(name);',
    killer: {
      test: `${coordinator}/api/documents.test.ts`,
      case: 'a team that nobody has described reads its default quotas, and no other team does',
    },
  },
  {
    name: 'policy-of-others-shown-whole',
    why: 'Every team could read the keys in the policies of all others.',
    file: `${coordinator}/api/families/policies.ts`,
    from: "const mayWrite = scope === 'admin' ||",
    to: "const mayWrite = scope !== 'metrics' ||",
    killer: {
      test: `${coordinator}/api/families/policies.test.ts`,
      case: 'shows the values of request headers to those who may write the policy, their names to others',
    },
  },
  {
    name: 'storage-anywhere',
    why: 'A storage whose name leads inside would be sent requests that are signed with the keys of the machine.',
    file: 'packages/worker/src/egress/public-agents.ts',
    from: 'return address !== undefined && isGloballyReachable(address);',
    to: 'return address !== undefined;',
    killer: { proof: 'ssrf', args: ['--quick'], field: 'canaryHits' },
  },
  {
    name: 'private-address-told',
    why: 'A team could learn the names and addresses of the network that a worker runs in.',
    file: 'packages/worker/src/egress/dial.ts',
    from: '  throw notPublic(target.host);',
    to: '  throw notPublic(`${target.host} (${ip})`);',
    killer: {
      test: 'packages/worker/src/egress/guard.test.ts',
      case: 'the guard > judges names by every address they have',
    },
  },
  ...(
    [
      [
        'host-rules',
        'api/families/hosts',
        'if (!before) await requireRoom(kind, asked.principal, own(kind, ruleIn(id).team));',
        'host rules > of a team are bounded, and take no room from other teams and admins',
      ],
      [
        'schedules',
        'api/families/schedules',
        "if (!there) await requireRoom('schedule', principal, own(principal));",
        'takes no more schedules of a team than it may have',
      ],
      [
        'policies',
        'api/families/policies',
        "if (last === 0) await requireRoom('policy', principal, policies.ownedBy(team));",
        'takes no more policies of a team than it may have, removed ones included',
      ],
      [
        'versions',
        'api/families/policies',
        'requireVersions(principal, last);',
        'takes no more policies of a team than it may have, removed ones included',
      ],
    ] as const
  ).map(
    ([what, file, from, name]): Mutant => ({
      name: `team-fills-the-registry-with-${what}`,
      why: 'One team could leave no other room for a document of that kind, and take the memory of the coordinators.',
      file: `${coordinator}/${file}.ts`,
      from,
      to: '',
      killer: {
        test: `${coordinator}/${file}.test.ts`,
        case: name,
        ...(what === 'host-rules' ? {} : { says: 'instead of rejecting' }),
      },
    }),
  ),
  {
    name: 'team-fills-the-registry-with-webhooks',
    why: 'One team could keep every coordinator busy with messages to its webhooks, and leave no other room for one.',
    file: `${coordinator}/api/families/webhooks.ts`,
    from: "await requireRoom('webhook', principal, own);",
    to: '',
    killer: {
      test: `${coordinator}/api/documents.test.ts`,
      case: 'a team has room for a number of webhooks, and takes none from others',
    },
  },
  {
    name: 'webhooks-by-turn-of-arrival',
    why: 'A team with receivers that never answer would hold up the messages to all others.',
    file: `${coordinator}/webhooks/webhook-sender.ts`,
    from: 'return own.length < MOST_OF_TEAM;',
    to: 'return own.length < MOST_AT_ONCE;',
    killer: {
      test: `${coordinator}/webhooks/webhooks.test.ts`,
      case: 'receivers of one team that never answer keep no message of another team waiting',
    },
  },
  {
    name: 'cookies-dropped-in-silence',
    why: 'Logins would fail on a site with many cookies, and nobody would be told why.',
    file: 'packages/worker/src/fetch/site-cookies.ts',
    from: 'leftOut++;',
    to: '',
    killer: {
      test: 'packages/worker/src/fetch/cookies.test.ts',
      case: 'says how many have no room in their site or in the crawl',
    },
  },
  ...(
    [
      ['of-a-file-make-room', 'if (its.given || its === mine) continue;', 'if (its === mine) continue;'],
      ['file-forgotten-by-a-restart', 'for (const site of given) latest(site).given = true;', ''],
      ['of-the-first-sites', 'its && (latest(site, its).jar', 'its && (its.jar'],
    ] as const
  ).map(
    ([name, from, to]): Mutant => ({
      name: `cookies-${name}`,
      why: 'A crawl of many sites would lose the cookies that it needs: those of its operator, or of the sites it is at.',
      file: 'packages/worker/src/fetch/cookies.ts',
      from,
      to,
      killer: {
        test: 'packages/worker/src/fetch/cookies.test.ts',
        case: 'a crawl keeps the cookies of the sites that were asked last, and those of a file',
      },
    }),
  ),
  {
    name: 'cookies-written-before',
    why: 'A login that was renewed would be the old one after a restart.',
    file: 'packages/worker/src/fetch/site-cookies.ts',
    from: '    put(url, setCookie) {\n      written = undefined;\n',
    to: '    put(url, setCookie) {\n',
    killer: {
      test: 'packages/worker/src/fetch/cookies.test.ts',
      case: 'what changed since it was written is written too',
    },
  },
  {
    name: 'cookies-told-each-time',
    why: 'A site that sets cookies without end would fill the event log.',
    file: `${coordinator}/events/cookie-news.ts`,
    from: 'while (next <= count) next *= 10;',
    to: '',
    killer: {
      test: `${coordinator}/events/cookie-news.test.ts`,
      case: 'tells of cookies that were left out at the first, and each time there are ten times as many',
    },
  },
];
