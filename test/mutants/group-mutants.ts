import type { Mutant } from './mutant.ts';

const coordinator = 'packages/coordinator/src';
const redis = `${coordinator}/frontier/redis`;
const lua = `${coordinator}/redis/lua`;
const entering = `${redis}/entering.ts`;
const killer = (name: string) => ({
  test: `${redis}/entering.test.ts`,
  case: `the groups of a crawl > ${name}`,
});

/** The groups that something of a crawl has come into. */
export const groupMutants: readonly Mutant[] = [
  {
    name: 'groups-listed-late',
    why: 'A pause that comes while a group is opened would never reach it: its hosts would be fetched in a paused crawl.',
    file: `${lua}/crawl/enter.lua`,
    from: 'if change[3] ~= num(ARGV[2]) then',
    to: 'if not change[3] then',
    killer: killer('hear of a change that comes while they are opened'),
  },
  {
    name: 'groups-bit-lost',
    why: 'Where two groups share a digit, the second would take the place of the first, and its URLs be lost.',
    file: `${lua}/base/catalog.lua`,
    from: 'digits[place] = digits[place] + bit',
    to: 'digits[place] = bit',
    killer: {
      test: `${redis}/entering.test.ts`,
      case: 'the groups of a crawl > are found again where the store has lost the list of them',
    },
  },
  {
    name: 'groups-end-unlisted',
    why: 'A crawl would end with a URL in a group that it came into while the finisher looked.',
    file: `${lua}/finish.lua`,
    from: 'or catalog.change(ARGV[1])[5] ~= ARGV[3] then',
    to: 'then',
    killer: {
      test: `${redis}/finishing.test.ts`,
      case: 'finishing > does not happen when something comes into a group that the crawl has not been in',
    },
  },
  {
    name: 'groups-never-found-again',
    why: 'After a restored backup a crawl would end with URLs in groups that its list lacks.',
    file: entering,
    from: 'for (const crawl of crawls.active()) await enter(context, crawl, found.get(crawl.c) ?? []);',
    to: '',
    killer: killer('are found again where the store has lost the list of them'),
  },
  {
    name: 'groups-not-kept-in-group',
    why: 'A list that was lost could not be found again.',
    file: `${lua}/open.lua`,
    from: "call('SADD', P .. 'a', ARGV[4])",
    to: 'before = nil',
    killer: killer('are found again where the store has lost the list of them'),
  },
  {
    name: 'groups-version-before',
    why: 'What the version before has put into groups that it never lists would be lost.',
    file: `${lua}/base/catalog.lua`,
    from: 'local everywhere = not v[6] or told > 0',
    to: 'local everywhere = not v[6]',
    killer: killer('are all where the version before works on the crawl, too'),
  },
  {
    name: 'groups-told-to-version-before',
    why: 'The version before would take its groups for told, and fail in each that is not open.',
    file: `${lua}/crawl/told.lua`,
    from: "change[5] == 'all' and 'told' or 'heard'",
    to: "'told'",
    killer: killer('are all where the version before works on the crawl, too'),
  },
  {
    name: 'groups-left-open',
    why: 'A process that comes late to a deleted crawl would leave keys of it for ever.',
    file: entering,
    from: 'if (isGone(error))',
    to: 'if (isGone(crawl))',
    killer: killer('forget it when it is erased, and nothing of it is left'),
  },
  {
    name: 'groups-unseen-by-others',
    why: 'Coordinators would not hear of hosts in groups that a crawl came into elsewhere.',
    file: `${coordinator}/redis/hints.ts`,
    from: 'if (known.groups !== groups) enter(known, groups);',
    to: 'if (known.groups === noGroups) enter(known, groups);',
    killer: {
      test: `${coordinator}/redis/hints.test.ts`,
      case: 'asks only groups that a crawl has come into, each from then on',
    },
  },
  {
    name: 'groups-leases-left',
    why: 'After a restart leases of a deleted crawl would never end in a group that no other crawl has come into.',
    file: entering,
    from: 'if (first?.[1] !== undefined) hints.hearEnd(group, Number(first[1]));',
    to: '',
    killer: killer('of a crawl that was erased are left with a lease, which ends for whoever comes later'),
  },
];
