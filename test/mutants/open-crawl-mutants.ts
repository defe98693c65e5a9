import type { Mutant } from './mutant.ts';

const coordinator = 'packages/coordinator/src';
const hints = `${coordinator}/redis/hints.ts`;
const granting = `${coordinator}/frontier/redis/granting.ts`;
const openCrawls = (name: string) =>
  ({ test: `${coordinator}/frontier/redis/open-crawls.test.ts`, case: name }) as const;
const besides = (file: string, name: string) =>
  ({ test: file.replace('.ts', '.test.ts'), case: name }) as const;
const noneAsked =
  'a crawl that is opened, paused or resumed makes nobody ask groups about others, nor all groups about it';

const pace = 'packages/coordinator/src/crawl/watch/crawl-pace';

const calmSnapshot = `${coordinator}/crawl/watch/calm-snapshot.ts`;
const workerWatch = `${coordinator}/crawl/watch/worker-watch.ts`;
const router = `${coordinator}/link/crawl-router.ts`;
const farCrawl =
  'asks a crawl that is due much later again when it is due, when it is stirred, and once a minute';

const toldCrawls = `${coordinator}/link/told/told-crawls.ts`;

/** What crawls cost that are open and wait. */
export const openCrawlMutants: readonly Mutant[] = [
  {
    name: 'open-crawl-forgets-others',
    why: 'Creating a crawl would make each worker ask all groups about all other crawls: thousands of commands for each.',
    file: hints,
    from: '      crawls.delete(crawl);\n      sooner(crawl);',
    to: '      crawls.clear();\n      sooner(crawl);',
    killer: besides(hints, 'asks again for the crawl that it is to forget, and for no other'),
  },
  {
    name: 'open-crawl-not-told',
    why: 'After each pause and resume all groups would be asked whether the crawl has something due there.',
    file: `${coordinator}/redis/lua/open.lua`,
    from: "return { 'OK', outlook(), again and 1 or 0, text(order) }",
    to: "return { 'OK', '', again and 1 or 0, text(order) }",
    killer: openCrawls(noneAsked),
  },
  {
    name: 'open-crawl-doubt-of-one',
    why: 'After a lost answer hosts of other crawls in that group would not be leased before the next sweep.',
    file: hints,
    from: '      unknown.add(group);\n      sooner(crawl);',
    to: '      sooner(crawl);',
    killer: besides(hints, 'asks a group again for all crawls once an answer of it was lost'),
  },
  {
    name: 'open-crawl-names-all',
    why: 'Each lease would read all open crawls in its group: with 10,000 of them, 10,000 commands for one page.',
    file: granting,
    from: '...others.filter(({ c }) => context.hints.mayHave(c, group))',
    to: '...others',
    killer: openCrawls('a lease names the crawls that have something in the group, not all that are open'),
  },
  {
    name: 'open-crawl-never-asked',
    why: 'A crawl whose groups were never asked would be taken for one that waits, and never be worked on.',
    file: granting,
    from: 'hints.isUnsure(crawl.c) ? 0 : hints.firstDueMs(crawl.c, groups.now, isAny)',
    to: 'hints.firstDueMs(crawl.c, groups.now, isAny)',
    killer: openCrawls('asks all groups for a crawl that it has only heard of'),
  },
  {
    name: 'open-crawl-asked-in-vain',
    why: 'Each worker that looks for work would ask all crawls that wait, one after the other.',
    file: `${coordinator}/link/crawl-router.ts`,
    from: 'if (dueInMs <= 0) return true;',
    to: 'if (dueInMs >= 0) return true;',
    killer: besides(
      `${coordinator}/link/crawl-router.ts`,
      'asks only crawls that may have something due, and says when the next one will',
    ),
  },
  {
    name: 'open-crawl-makes-up',
    why: 'A crawl that waited an hour for its host would get all leases for as long afterwards.',
    file: `${coordinator}/link/crawl-router.ts`,
    from: '    rest(to);\n',
    to: '',
    killer: besides(`${coordinator}/link/crawl-router.ts`, 'a crawl that has waited makes up for nothing'),
  },
  {
    name: 'open-crawl-stirs-all',
    why: 'One busy crawl would make the counts of all others be read from 1,024 groups every second.',
    file: `${coordinator}/frontier/calm-reads.ts`,
    from: 'for (const known of looks.get(crawl)?.values() ?? []) known.ageMs = EVERY_MS;',
    to: 'for (const own of looks.values()) for (const known of own.values()) known.ageMs = EVERY_MS;',
    killer: besides(
      `${coordinator}/frontier/calm-reads.ts`,
      'a crawl that is busy makes looks at others no more frequent',
    ),
  },
  {
    name: 'open-crawl-long-pipeline',
    why: 'The end of a long pipeline would come too late for its time stamps, be refused and be sent again.',
    file: `${coordinator}/redis/client/lane.ts`,
    from: 'ms += runTimes.of(call);',
    to: 'ms += 0 * runTimes.of(call);',
    killer: besides(
      `${coordinator}/redis/client/lane.ts`,
      'a lane to one primary > sends what keeps the server busy for long in smaller pipelines',
    ),
  },
  {
    name: 'many-crawls-at-no-pace',
    why: 'Crawls that share a host would ask it one right after the other.',
    file: `${coordinator}/redis/lua/base/state.lua`,
    from: 'return math.max(h.nb, h.le > 0 and h.le + m.gap or 0, h.hu or 0)',
    to: 'return h.hu or 0',
    killer: { proof: 'thousand-crawls', args: ['--quick'], field: 'disturbed.gapViolations' },
  },
  {
    name: 'pace-rests-though-due',
    why: 'A crawl that is due in a moment would be looked at every ten minutes.',
    file: `${pace}.ts`,
    from: 'dueAtMs - now < FAR_MS || isHeld()',
    to: 'dueAtMs <= 0 || isHeld()',
    killer: {
      test: `${pace}.test.ts`,
      case: 'a crawl does not rest when it may be due soon, when workers hold leases of it, or when nobody knows',
    },
  },
  {
    name: 'pace-sleeps-on',
    why: 'A crawl that is resumed or reported on would wait for its duties up to a minute.',
    file: `${pace}.ts`,
    from: '      woken.abort();\n',
    to: '',
    killer: {
      test: `${pace}.test.ts`,
      case: 'what happens to a crawl ends the sleep of its duties, and they are done at their own pace again',
    },
  },
  {
    name: 'pace-lasts-too-long',
    why: 'A crawl with a time limit that rests would run for up to ten minutes longer.',
    file: `${pace}.ts`,
    from: 'return !isRunning() || leftMs() >= FAR_MS;',
    to: 'return true;',
    killer: {
      test: `${pace}.test.ts`,
      case: 'a crawl wakes a minute before its time is over, unless it is paused',
    },
  },
  {
    name: 'pace-waits-for-others',
    why: 'A crawl whose last pages others have would end up to twenty seconds later.',
    file: `${pace}.ts`,
    from: ' && inMs < Number.POSITIVE_INFINITY',
    to: '',
    killer: {
      test: `${pace}.test.ts`,
      case: 'duties do not sleep longer where all that is left is elsewhere, which nobody tells of',
    },
  },
  {
    name: 'pace-looks-without-news',
    why: 'A crawl that fetches a page every few seconds would be looked at more than twice a second.',
    file: `${pace}.ts`,
    from: 'return isSame && waits() ? LOOK_MS.waiting : 0;',
    to: 'return 0;',
    killer: {
      test: `${pace}.test.ts`,
      case: 'looks at a crawl that waits for its next page come when something has happened, and seldom else',
    },
  },
  {
    name: 'pace-looks-seldom-at-its-end',
    why: 'A crawl with a time limit would run for up to twenty seconds longer.',
    file: `${pace}.ts`,
    from: 'lookedAt === version && leftMs() > LOOK_MS.waiting',
    to: 'lookedAt === version',
    killer: {
      test: `${pace}.test.ts`,
      case: 'looks at a crawl that waits for its next page come when something has happened, and seldom else',
    },
  },
  {
    name: 'pace-leaves-the-last',
    why: 'A crawl whose last pages another coordinator had when it died would end ten minutes later.',
    file: `${pace}.ts`,
    from: 'isElsewhere() ? LOOK_MS.elsewhere : LOOK_MS.resting',
    to: 'LOOK_MS.resting',
    killer: {
      test: `${pace}.test.ts`,
      case: 'looks come more often where others have in hand all that is left, because they may die',
    },
  },
  {
    name: 'router-asks-far-crawls',
    why: 'Each request of a worker would go through all open crawls.',
    file: router,
    from: '    if (dueInMs >= FAR_MS) outlook.wait(to, Math.min(dueInMs, MOST_FAR_MS));\n',
    to: '',
    killer: besides(router, farCrawl),
  },
  {
    name: 'router-trusts-its-clock',
    why: 'After the machine was suspended for two hours, a crawl that was due in one would wait another hour.',
    file: router,
    from: 'Math.min(dueInMs, MOST_FAR_MS)',
    to: 'dueInMs',
    killer: besides(router, farCrawl),
  },
  {
    name: 'router-is-not-stirred',
    why: 'URLs that come into a crawl that waits would be leased a minute later.',
    file: router,
    from: 'if (leave(crawl)) near.add(crawl);',
    to: 'if (!far.has(crawl)) near.add(crawl);',
    killer: besides(router, farCrawl),
  },
  {
    name: 'hints-silent-about-sooner',
    why: 'What another coordinator put into a crawl that rests here would be leased a minute later.',
    file: hints,
    from: '    if (before === undefined || due < before) sooner(crawl);\n',
    to: '',
    killer: besides(
      hints,
      'tells when a crawl may have something sooner than was known, and not when it has it later',
    ),
  },
  {
    name: 'feed-silent-about-changes',
    why: 'A crawl that rests would follow what another coordinator did with it ten minutes later.',
    file: `${coordinator}/frontier/redis/context/refreshing.ts`,
    from: '      if (before === after) continue;\n      tell(c);',
    to: '      if (before === after) continue;',
    killer: openCrawls('tells of a crawl that others change or bring something into'),
  },
  {
    name: 'backlog-reads-all',
    why: 'Each look at what waits to be drained would ask for every open crawl.',
    file: `${coordinator}/frontier/redis/draining/long-backlogs.ts`,
    from: 'visited(visits, part, (group) => left.has(group));',
    to: 'visited(visits, part, (group) => left.size >= 0 && group >= 0);',
    killer: openCrawls('looks for results that wait only where something has changed'),
  },
  {
    name: 'backlog-forgets-what-waits',
    why: 'Results that could not be drained at once would stay in the store until their group changes again.',
    file: `${coordinator}/frontier/redis/draining/long-backlogs.ts`,
    from: 'visited(visits, part, (group) => left.has(group));',
    to: 'visited(visits, part, () => false);',
    killer: openCrawls('looks for results that wait only where something has changed'),
  },
  {
    name: 'orders-unseen',
    why: 'A crawl of a coordinator that rests would obey `webfarer pause FOLDER` ten minutes later.',
    file: `${coordinator}/folder/order-watch.ts`,
    from: 'if (now !== seen) for (const wake of sleepers) wake();',
    to: '',
    killer: besides(
      `${coordinator}/folder/order-watch.ts`,
      'an order in the folder of any crawl ends the sleep of all who look for orders, each time',
    ),
  },
  {
    name: 'pace-keeps-what-is-outdated',
    why: 'Probes and metrics would say for minutes that a crawl is well that has paused.',
    file: `${pace}.ts`,
    from: 'last?.version === version && asked.atMs',
    to: 'last !== undefined && asked.atMs',
    killer: {
      test: `${pace}.test.ts`,
      case: 'what is read of a crawl that rests is read once, unless it is out of date',
    },
  },
  {
    name: 'calm-snapshot-stands-still',
    why: 'The running time of a crawl that rests would stand still for minutes, and its next page would never come nearer.',
    file: calmSnapshot,
    from: '{ ...later(taken, clock.now() - atMs), elapsedMs: Math.round(progress.elapsedMs()) }',
    to: '{ ...taken, atMs }',
    killer: besides(calmSnapshot, 'the snapshot of a crawl that rests is told with its times as of now'),
  },
  {
    name: 'rest-hears-late-of-no-worker',
    why: 'A coordinator whose crawls all rest would say ten minutes later that no worker is connected.',
    file: workerWatch,
    from: '      if (shared) lookAgain();\n',
    to: '',
    killer: besides(
      workerWatch,
      'tells of a crawl that rests that no worker is connected, once they could have taken turns',
    ),
  },
  {
    name: 'told-after-lease',
    why: 'A worker would give back the first lease of each crawl, because it does not know the crawl yet.',
    file: `${coordinator}/link/worker-pool.ts`,
    from: '      const answer = await leases.lease({ ...request, ...without });\n      tellOf(answer.leases);\n      return answer;',
    to: '      const answer = await leases.lease({ ...request, ...without });\n      void Promise.resolve().then(() => setTimeout(() => tellOf(answer.leases), 50));\n      return answer;',
    killer: besides(
      `${coordinator}/link/worker-pool.ts`,
      'tells a worker of a crawl before it hears of its first lease of it, where it wants that',
    ),
  },
  {
    name: 'told-of-all-changes',
    why: 'Each change of any of ten thousand crawls would go to all workers.',
    file: toldCrawls,
    from: '    if (!known || !crawl || known.version === versionOf(crawl)) return [];',
    to: '    if (!crawl || known?.version === versionOf(crawl)) return [];\n    if (!known) return [tell(crawl, clock.now())];',
    killer: besides(
      toldCrawls,
      'tells of a crawl before the first lease of it, once, and then of its changes',
    ),
  },
  {
    name: 'told-never-rests',
    why: 'Each worker would keep every crawl open that it ever worked on.',
    file: toldCrawls,
    from: 'now - known.leasedAtMs >= REST_MS;',
    to: 'false;',
    killer: besides(
      toldCrawls,
      'has a crawl closed of which there were no leases for long, and tells of it again before the next',
    ),
  },
  {
    name: 'told-rests-while-leased',
    why: 'A worker would close a crawl of which it has pages in flight.',
    file: toldCrawls,
    from: '!busy.has(id) && ',
    to: '',
    killer: besides(
      toldCrawls,
      'has a crawl closed of which there were no leases for long, and tells of it again before the next',
    ),
  },
  {
    name: 'told-too-many-for-a-frame',
    why: 'A worker of an earlier version would refuse the welcome of a coordinator with more than a thousand open crawls, again and again.',
    file: toldCrawls,
    from: '  const list = () => crawls.crawls().slice(0, frameBounds.crawls);',
    to: '  const list = () => crawls.crawls();',
    killer: besides(
      toldCrawls,
      'tells a worker of an earlier version of all, as many as a frame takes, and leases it no others',
    ),
  },
  {
    name: 'lease-before-its-crawl-is-open',
    why: 'The first lease of each crawl would go back, because the worker is still opening the crawl.',
    file: 'packages/worker/src/worker.ts',
    from: '    if (!now()) await soon(',
    to: '    if (false) await soon(',
    killer: {
      test: 'packages/worker/src/open-worker.test.ts',
      case: 'is told of a crawl with its first lease, closes it when it rests, and opens it again',
    },
  },
  {
    name: 'rest-is-a-gap',
    why: 'The chart of a crawl that waits for its next page would show that nobody looked.',
    file: `${coordinator}/history/count-history.ts`,
    from: "Object.values(samples).join(''), rests);",
    to: "Object.values(samples).join(''), rests && '');",
    killer: {
      test: `${coordinator}/history/count-history.test.ts`,
      case: 'does not take a rest for a gap, however long and however long ago it was',
    },
  },
  {
    name: 'rests-without-end',
    why: 'The history of a crawl that waits for years would grow for years.',
    file: `${coordinator}/redis/lua/count-sample.lua`,
    from: "  if last ~= '' and from - num(string.sub(last, 14)) <= slot_ms then",
    to: '  if false then',
    killer: {
      test: `${coordinator}/history/count-history.test.ts`,
      case: 'keeps few rests in the store, and those that follow each other as one',
    },
  },
];
