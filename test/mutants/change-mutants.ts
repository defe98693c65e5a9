import type { Mutant } from './mutant.ts';

const redis = 'packages/coordinator/src/frontier/redis';
const lua = 'packages/coordinator/src/redis/lua';
const refreshing = `${redis}/context/refreshing.ts`;
const killer = (name: string) => ({ test: `${redis}/context/refreshing.test.ts`, case: name });
const othersChanged = 'a look tells of the crawls that others have changed, and of no others';
const overNotKept =
  'crawls that are over are not kept for long, unless they are needed, and are read from the store';
const overLeftAlone = {
  test: `${redis}/open-crawls.test.ts`,
  case: 'a crawl that is over is left alone once its results were looked at, and runs again where a URL is retried',
};

/** What processes hear of the crawls that others have changed. */
export const changeMutants: readonly Mutant[] = [
  {
    name: 'changes-state-not-noted',
    why: 'A coordinator would go on with a crawl that was paused at another one, until it next reads all crawls.',
    file: `${lua}/crawl/state.lua`,
    from: '  catalog.note(ARGV[1])\n',
    to: '',
    killer: killer(othersChanged),
  },
  {
    name: 'changes-groups-not-noted',
    why: 'Hosts that one coordinator has found would not be leased by the workers of another.',
    file: `${lua}/base/catalog.lua`,
    from: '  if after ~= list then\n    catalog.note(c)\n  end\n',
    to: '',
    killer: killer(othersChanged),
  },
  {
    name: 'changes-all-read',
    why: 'Each look would read all open crawls, whether anything has changed or not.',
    file: refreshing,
    from: 'return heardIn !== epoch || now < unnotedUntilMs || now - wholeAtMs >= everyMs;',
    to: 'return everyMs > 0 || now < unnotedUntilMs;',
    killer: killer(othersChanged),
  },
  {
    name: 'changes-erased-kept',
    why: 'A coordinator would go on with a crawl that was erased.',
    file: `${lua}/base/catalog.lua`,
    from: "  catalog.note(c)\n  call('ZREM', P .. 'A', c)",
    to: "  call('ZREM', P .. 'A', c)",
    killer: killer('a look tells of a crawl that was erased, and of hosts that were forgotten'),
  },
  {
    name: 'changes-store-went-back',
    why: 'After a restored backup coordinators would wait for numbers of changes that come days later.',
    file: `${lua}/crawl/changes.lua`,
    from: ' and since <= noted and',
    to: ' and',
    killer: killer('all crawls are read where the store has gone back in time, or notes of changes are gone'),
  },
  {
    name: 'changes-trimmed-in-silence',
    why: 'A coordinator that was cut off for long would never hear of changes whose notes are gone.',
    file: `${lua}/base/catalog.lua`,
    from: "call('HSET', P .. 'v', 'unnoted', gone[#gone])",
    to: 'number = gone',
    killer: killer('the store keeps notes of the last 10,000 crawls, and says up to where they are gone'),
  },
  {
    name: 'changes-of-version-before',
    why: 'During an upgrade a new coordinator would hear of what an old one changes half a minute later, each time.',
    file: refreshing,
    from: 'now < unnotedUntilMs',
    to: 'now < 0',
    killer: killer(
      'changes of the version before, which notes none, are met by a look at all, and from then on at once',
    ),
  },
  {
    name: 'changes-asked-for-ever',
    why: 'A host would wait for the turn of a crawl that nobody asks for any more.',
    file: `${lua}/crawl/changes.lua`,
    from: 'text(catalog.time_ms(ARGV[2])), ',
    to: "'-inf', ",
    killer: killer('others know which crawls somebody asks for, for five seconds'),
  },
  {
    name: 'finished-crawls-kept',
    why: 'With each finished crawl a coordinator would take more memory, and each of its looks at open crawls more time.',
    file: refreshing,
    from: '    kept.prune();\n',
    to: '',
    killer: killer(overNotKept),
  },
  {
    name: 'finished-crawl-dropped-while-needed',
    why: 'Results of a crawl that has just finished would fill the memory of the store.',
    file: `${redis}/context/kept-crawls.ts`,
    from: 'if (isNeeded(crawl, sinceMs)) sort(crawl);\n      else drop(crawl.c);',
    to: 'drop(crawl.c);',
    killer: killer(overNotKept),
  },
  {
    name: 'finished-crawl-left-before-a-look',
    why: 'The last results of a crawl would stay in the memory of the store where nobody has looked since its end.',
    file: `${redis}/draining/long-backlogs.ts`,
    from: 'lookedAtMs < sinceMs || ',
    to: '',
    killer: overLeftAlone,
  },
  {
    name: 'finished-crawl-not-run-again',
    why: 'A URL that is retried in a crawl that finished long ago would be queued, and never fetched.',
    file: `${redis}/crawl-life.ts`,
    from: ' ?? (await context.crawls.lookUp(c))',
    to: '',
    killer: overLeftAlone,
  },
];
