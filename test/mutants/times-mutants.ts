import type { Mutant } from './mutant.ts';

const egress = (name: string) => ({ test: 'packages/worker/src/egress/phases.test.ts', case: name });
const book = (name: string) => ({ test: 'packages/coordinator/src/link/try-book.test.ts', case: name });

/** Who fetched a page, what took its time, and the tries before. */
export const timesMutants: readonly Mutant[] = [
  {
    name: 'times-dns-as-connection',
    why: 'A slow name server would be taken for a slow web server.',
    file: 'packages/worker/src/egress/dial.ts',
    from: "timed(trace, 'dnsMs',",
    to: "timed(trace, 'connectMs',",
    killer: egress('tells which phase took the time, and they add up'),
  },
  {
    name: 'times-of-failures-lost',
    why: 'Of a request that failed nobody could say what it waited for.',
    file: 'packages/worker/src/egress/dial.ts',
    from: '      return await work;\n    } finally {\n      phases[phase] = (phases[phase] ?? 0) + clock.now() - startedAtMs;\n    }',
    to: '      const done = await work;\n      phases[phase] = (phases[phase] ?? 0) + clock.now() - startedAtMs;\n      return done;\n    } finally {\n    }',
    killer: egress('tells the connection from TLS, also behind a proxy and of what failed'),
  },
  {
    name: 'times-reuse-not-told',
    why: 'A request over an open connection would look as if its phases were not recorded.',
    file: 'packages/worker/src/egress/egress.ts',
    from: '    errand.trace.phases.reused = true;\n',
    to: '',
    killer: egress('says of a second request that its connection was open already'),
  },
  {
    name: 'times-volunteer-names-itself',
    why: 'A stranger could report pages under the name of an own worker.',
    file: 'packages/coordinator/src/link/volunteer-checks.ts',
    from: '  if (seen.fetched) delete seen.fetched.by;\n',
    to: '',
    killer: {
      test: 'test/link/hostile.test.ts',
      case: 'a volunteer settles what it was given and offers what belongs to the crawl, nothing else',
    },
  },
  {
    name: 'tries-told-twice',
    why: 'A report that was sent again would list a try twice, and push another one out.',
    file: 'packages/coordinator/src/link/try-book.ts',
    from: 'if (startedAtMs !== undefined && before.at(-1)?.atMs === startedAtMs) return;',
    to: '',
    killer: book('remembers nothing of a report that was not accepted, and no try twice'),
  },
  {
    name: 'tries-never-forgotten',
    why: 'A URL that was retried by hand would list tries of its life before.',
    file: 'packages/coordinator/src/link/try-book.ts',
    from: 'else if (failed.size > 0) failed.delete(keyOf(report, one.url));',
    to: '',
    killer: book('forgets the tries of a URL with its outcome, and tells no more than were charged'),
  },
  {
    name: 'times-untold-tries-hidden',
    why: 'A list of tries that is too short would look whole.',
    file: 'packages/protocol/src/crawl/phases.ts',
    from: 'attempts - 1 - tries.length',
    to: 'attempts - attempts - tries.length',
    killer: {
      test: 'packages/protocol/src/crawl/phases.test.ts',
      case: 'counts the tries that are not told of',
    },
  },
  {
    name: 'times-phases-begin-together',
    why: 'The bars of a request would lie below each other at the left, as if all phases began with it.',
    file: 'packages/protocol/src/crawl/phases.ts',
    from: 'phases.push({ name, fromMs: at, ms: own });',
    to: 'phases.push({ name, fromMs: 0, ms: own });',
    killer: {
      test: 'packages/protocol/src/crawl/phases.test.ts',
      case: 'tells phases that follow each other',
    },
  },
  {
    name: 'times-phases-longer-than-the-request',
    why: 'Phases that were rounded up would add up to more than the request took.',
    file: 'packages/protocol/src/crawl/phases.ts',
    from: 'const own = Math.max(0, Math.min(ms, untilMs - at));',
    to: 'const own = Math.max(0, ms - at);',
    killer: {
      test: 'packages/protocol/src/crawl/phases.test.ts',
      case: 'adds up to the duration, whatever was measured',
      says: 'Property failed',
    },
  },
  {
    name: 'times-dated-by-the-even-clock',
    why: 'After a machine was suspended, all that it fetches would be dated by as much too early, in records and archives.',
    file: 'packages/worker/src/egress/egress.ts',
    from: 'const made = { startedAtMs: startedOnMs, durationMs, phases };',
    to: 'const made = { startedAtMs, durationMs, phases };',
    killer: {
      test: 'packages/worker/src/egress/dates.test.ts',
      case: 'dates a request by the wall clock, and measures it by the other one: a machine that slept',
    },
  },
  {
    name: 'times-files-dated-by-the-even-clock',
    why: 'After a machine was suspended, the names of its archive files would say that they are older than they are.',
    file: 'packages/worker/src/save/segments.ts',
    from: 'const stamp = new Date(clock.wall())',
    to: 'const stamp = new Date(clock.now())',
    killer: {
      test: 'packages/worker/src/save/warc/warc-saver.test.ts',
      case: 'dates its files by the wall clock, also on a machine that was suspended',
    },
  },
];
