import type { Mutant } from './mutant.ts';

const coordinator = 'packages/coordinator/src';
const redis = `${coordinator}/frontier/redis`;
const lua = `${coordinator}/redis/lua`;
const killer = (name: string) => ({ test: `${redis}/limits.test.ts`, case: name });

/** Ceilings of whole crawls, time limits, and what retention deletes. */
export const limitMutants: readonly Mutant[] = [
  {
    name: 'limit-permit-of-the-dead-kept',
    why: 'Pages that a coordinator drew before it died would never be fetched: limited at 180 of 300.',
    file: `${lua}/base/ceilings.lua`,
    from: 'if num(till) <= at then',
    to: 'if num(till) <= 0 then',
    killer: killer('page permits > come back where coordinators died between drawing and leasing'),
  },
  {
    name: 'limit-permit-used-too-late',
    why: 'A coordinator that was suspended would lease pages that others have drawn since.',
    file: `${redis}/permits.ts`,
    from: '        if (allowance.isLost) lost.add(c);\n',
    to: '',
    killer: killer(
      'page permits > that ran out while their coordinator was stopped are not used by it any more',
    ),
  },
  {
    name: 'limit-permit-of-another-call-ended',
    why: 'Two calls for leases at once would pass the ceiling together.',
    file: `${redis}/context/ledger.ts`,
    from: '      forget(c, told, ends);\n',
    to: '      forget(c, told, ends);\n      if (draw !== undefined) remember(c, [draw]);\n',
    killer: {
      test: `${redis}/context/ledger.test.ts`,
      case: 'takes nothing from a draw that another call of the same process is waiting for',
    },
  },
  {
    name: 'limit-older-news-accepted',
    why: 'Answers that overtake each other would count pages that are in flight as free.',
    file: `${lua}/base/ceilings.lua`,
    from: 'if anew or is[1] > was[1] then',
    to: 'if anew or is[1] ~= was[1] then',
    killer: {
      test: `${redis}/context/ledger.test.ts`,
      case: 'counts what groups use as they stand, whichever of their answers comes first, and forgets nothing when edited',
    },
  },
  {
    name: 'limit-edit-forgets',
    why: 'After an edit of the limit, pages in flight would be drawn once more: 40 too many.',
    file: `${lua}/register.lua`,
    from: '  catalog.note(c)\nend\nlocal ceiling',
    to: "  catalog.note(c)\n  call('DEL', P .. c .. 'l')\n  call('HSET', P .. c .. 'l', 'all', '1')\nend\nlocal ceiling",
    killer: killer('limits that are edited > forget nothing that two coordinators have in flight'),
  },
  {
    name: 'limit-while-leased',
    why: 'A crawl would be called limited while a page in flight may still fail, and end with fewer pages than asked for.',
    file: `${coordinator}/frontier/sqlite/sqlite-frontier.ts`,
    from: 'const by = crawl.counters.leased > 0 ? undefined : limitedBy(crawl);',
    to: 'const by = limitedBy(crawl);',
    killer: {
      test: `${coordinator}/frontier/sqlite/sqlite-model.test.ts`,
      case: 'do the same in 300 sequences of commands, alone',
    },
  },
  {
    name: 'limit-cause-of-before',
    why: 'A crawl that an operator called limited would name a ceiling of before as the cause.',
    file: `${coordinator}/frontier/sqlite/sqlite-frontier.ts`,
    from: 'Object.assign(crawl, { state, limitedBy: undefined });',
    to: 'Object.assign(crawl, { state });',
    killer: {
      test: `${coordinator}/frontier/sqlite/sqlite-frontier.test.ts`,
      case: 'names no ceiling of before for a crawl that was told to be limited',
    },
  },
  {
    name: 'limit-time-of-this-process-only',
    why: 'A crawl with a time limit would run anew for as long with each start of its coordinator.',
    file: `${coordinator}/frontier/sqlite/sqlite-frontier.ts`,
    from: 'Math.max(crawl.ranMs + sinceMs, atLeastMs)',
    to: 'Math.max(crawl.ranMs, atLeastMs)',
    killer: {
      test: `${coordinator}/frontier/sqlite/sqlite-model.test.ts`,
      case: 'do the same in 300 sequences of commands, alone',
    },
  },
  {
    name: 'limit-unheard-of',
    why: 'A coordinator that has not heard of a new ceiling yet would lease past it.',
    file: `${lua}/lease.lua`,
    from: 'm.left = m.bounded_whole and 0 or INF',
    to: 'm.left = INF',
    killer: killer('limits that are edited > hold for a coordinator that has not heard of them'),
  },
  {
    name: 'limit-by-a-stale-read',
    why: 'A crawl would end as limited with fewer pages than its limit, as soon as pages are drawn and none is leased.',
    file: `${lua}/crawl/limit.lua`,
    from: "local may_be = by or ceiling and done + leased >= ceiling\nif state ~= 'running' or not may_be or call('HEXISTS', key .. 'l', 'all') == 0 or ceilings.drawn(c, catalog.time_ms(ARGV[2])) > 0 then",
    to: "by = by or ceiling and done + leased + ceilings.drawn(c, 0) >= ceiling and 'pages'\nif state ~= 'running' or not by then",
    killer: killer(
      'a crawl > is not limited while pages are drawn that nobody has leased, as with a full store',
    ),
  },
  {
    name: 'limit-dead-news-not-sought',
    why: 'A crawl would stall when a coordinator dies before it could tell that pages have failed.',
    file: `${lua}/crawl/limit.lua`,
    from: "  return is_seen and { 'NO' } or { 'LOOK', text(v), 'some', ceilings.groups(c, true) }",
    to: "  return { 'NO' }",
    killer: killer('page permits > of pages that failed come back where the coordinator died that was told'),
  },
  {
    name: 'limit-of-hosts-called-finished',
    why: 'A crawl that fetched a quarter of what it had found would say that it has fetched all.',
    file: `${coordinator}/crawl/crawl-control.ts`,
    from: "progress.setState(limit ? 'limited' : 'finished');",
    to: "progress.setState('finished');",
    killer: {
      test: 'test/coordinator/crawl.test.ts',
      case: 'is limited where a limit of its hosts refused URLs, and names it and how many, also when it is taken up again',
    },
  },
  {
    name: 'limit-paused-time-counted',
    why: 'A crawl that was paused over night would be over its time limit in the morning.',
    file: `${coordinator}/crawl/time-left/running-time.ts`,
    from: 'startedAtMs = isRunning ? clock.now() : undefined;',
    to: 'startedAtMs = clock.now();',
    killer: {
      test: `${coordinator}/crawl/crawl-progress.test.ts`,
      case: 'does not count pauses against the time limit: by a person, or for room on a disk',
    },
  },
  {
    name: 'limit-time-counted-twice',
    why: 'Two coordinators of a crawl would use up its time limit twice as fast.',
    file: `${lua}/crawl/time.lua`,
    from: 'math.min(num(ARGV[2]), apart)',
    to: 'num(ARGV[2])',
    killer: {
      test: `${redis}/orders.test.ts`,
      case: 'counts the running time of a crawl once where two processes run it at the same time',
    },
  },
  {
    name: 'retention-purges-before-judging',
    why: 'A crawl that an operator resumes at that moment would lose its archive.',
    file: `${coordinator}/own-crawls/delete-with-objects.ts`,
    from: '    const condemned = await steps.condemn(',
    to: '    await objects?.mark();\n    const condemned = await steps.condemn(',
    killer: {
      test: `${coordinator}/own-crawls/delete-with-objects.test.ts`,
      case: 'leaves the objects of a crawl alone that was resumed meanwhile',
    },
  },
  {
    name: 'retention-deletes-any-version',
    why: 'Retention would delete a crawl that runs again.',
    file: `${coordinator}/catalog/deletion.ts`,
    from: 'if (version === undefined) return',
    to: 'if (version !== 0) return',
    killer: {
      test: `${coordinator}/own-crawls/own-crawls.test.ts`,
      case: 'deletes neither a crawl nor its objects where it was resumed since it was looked at',
    },
  },
  {
    name: 'retention-forgets-objects',
    why: 'Objects that could not be removed at first would stay for ever, and nobody would know whose they are.',
    file: `${coordinator}/own-crawls/crawl-deleter.ts`,
    from: 'if (objects) open.delete(nonce);',
    to: 'if (objects) await catalog.remove(nonce);',
    killer: {
      test: `${coordinator}/own-crawls/own-crawls.test.ts`,
      case: 'keeps the entry of a crawl whose objects are left until somebody has removed them',
    },
  },
  {
    name: 'quota-looked-at-seldom',
    why: 'A team would exceed a small quota of pages a day by all that it fetches in three seconds.',
    file: `${coordinator}/teams/quota-keeper.ts`,
    from: 'return Math.min(LOOK_MS, Math.max(SOON_MS, leftMs / 2));',
    to: 'return Math.max(LOOK_MS, Math.min(SOON_MS, leftMs / 2));',
    killer: {
      test: `${coordinator}/teams/quota-keeper.test.ts`,
      case: 'looks sooner near the end of a quota, so that little is fetched beyond it',
    },
  },
  {
    name: 'limit-of-time-by-an-older-wish',
    why: 'A crawl that an operator has just resumed with more time would end as limited by a coordinator that has not heard of it.',
    file: 'packages/coordinator/src/crawl/crawl-control.ts',
    from: "frontier.setState(crawl, 'limited', known)",
    to: "frontier.setState(crawl, 'limited', undefined)",
    killer: {
      test: 'packages/coordinator/src/crawl/crawl-control.test.ts',
      case: 'its time is over only by what is wanted now: not where it was resumed with more of it elsewhere',
    },
  },
];
