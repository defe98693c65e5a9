import type { Mutant } from './mutant.ts';

const schedule = 'packages/coordinator/src/schedule';
const decide = `${schedule}/decide.test.ts`;
const engine = `${schedule}/schedule-engine.test.ts`;
const times = `${schedule}/timetable.test.ts`;
const timeLeft = 'packages/coordinator/src/crawl/time-left/time-left.test.ts';

/** When schedules run, and that each run is started once; when a crawl ends. */
export const scheduleMutants: readonly Mutant[] = [
  {
    name: 'schedule-error-ends-everything',
    why: 'A schedule with a long name would end the coordinator and every crawl on it, again at each restart.',
    file: 'packages/coordinator/src/schedule/schedule-engine.ts',
    from: 'if (!isStorageTrouble(error)) await noteTrouble(planned, error).catch(() => undefined);',
    to: 'if (!isStorageTrouble(error)) throw error;',
    killer: {
      test: 'packages/coordinator/src/schedule/schedule-engine.test.ts',
      case: 'keeps an error about one schedule with that schedule, and goes on with the others',
    },
  },
  {
    name: 'safe-name-cut-by-characters',
    why: 'A long name in Chinese would be no name of a file.',
    file: 'packages/protocol/src/crawl/safe-name.ts',
    from: 'const cut = firstBytes(whole, mostBytes);',
    to: 'const cut = whole.slice(0, mostBytes);',
    killer: {
      test: 'packages/protocol/src/crawl/safe-name.test.ts',
      case: 'fits a file system with a long name of 網',
    },
  },
  {
    name: 'safe-name-without-mark',
    why: 'All runs of a schedule with a long name would share one folder.',
    file: 'packages/protocol/src/crawl/safe-name.ts',
    from: 'const marked = cut === whole ? whole : `${cut}-${markOf(name)}`;',
    to: 'const marked = cut === whole ? whole : `${cut}-${markOf(cut)}`;',
    killer: {
      test: 'packages/protocol/src/crawl/safe-name.test.ts',
      case: 'tells long names apart that begin alike',
    },
  },
  {
    name: 'run-compared-with-half-a-crawl',
    why: 'After a run that was stopped half-way, a recrawl would report the pages that it had not reached as new.',
    file: `${schedule}/schedule-doc.ts`,
    from: 'return (state.history.findLast(isWhole) as ScheduledRun | undefined) ?? lastRun(state);',
    to: 'return lastRun(state);',
    killer: { test: decide, case: 'compares a recrawl with the last run that went to its end' },
  },
  {
    name: 'unbegun-run-fails',
    why: 'A coordinator that died before it made the folder of a run would report that run as failed for ever.',
    file: 'packages/coordinator/src/own-crawls/own-crawls.ts',
    from: 'if (found === undefined && !frontier && !crawl.unbegun)',
    to: 'if (found === undefined && !frontier)',
    killer: {
      test: 'packages/coordinator/src/scheduled-crawls.test.ts',
      case: 'begins a run whose folder was not made yet, and reports no failure',
    },
  },
  {
    name: 'run-known-by-chance',
    why: 'A coordinator that died while it started a run would leave a crawl that the next one starts again.',
    file: `${schedule}/new-run.ts`,
    from: "return createHash('sha256').update(`schedule\\n${id}\\n${createdAtMs}\\n${dueMs}`).digest('hex').slice(0, 32);",
    to: "return createHash('sha256').update(`${id}${createdAtMs}${dueMs}${performance.now()}`).digest('hex').slice(0, 32);",
    killer: { test: decide, case: 'whose identity follows from schedule and instant' },
  },
  {
    name: 'start-not-finished',
    why: 'A run that a coordinator had decided on before it died would never be started.',
    file: `${schedule}/schedule-engine.ts`,
    from: 'const state = starting ? await start(planned, starting) : decision?.state;',
    to: 'const state = starting ? (({ starting: _lost, ...rest }) => rest)(value.state) : decision?.state;',
    killer: { test: engine, case: 'finishes what an engine left that died when it had decided' },
  },
  {
    name: 'repeated-hour-runs-twice',
    why: 'A nightly crawl would run twice in the night in which clocks are set back.',
    file: `${schedule}/timetable.ts`,
    from: "const isInterval = hours.startsWith('*');",
    to: "const isInterval = !/^\\d+$/.test(hours) || pattern.includes('/');",
    killer: { test: times, case: 'cron > runs a local time that comes twice at its first coming' },
  },
  {
    name: 'skipped-hour-never-runs',
    why: 'A nightly crawl would be left out in the night in which clocks are set forward.',
    file: `${schedule}/zone.ts`,
    from: 'firstOf: (localMs) => instantsOf(localMs)[0] ?? endOfGap(localMs),',
    to: 'firstOf: (localMs) => instantsOf(localMs)[0] ?? -Infinity,',
    killer: {
      test: times,
      case: 'cron > runs a local time that clocks are set forward over once, at the first valid moment',
    },
  },
  {
    name: 'month-not-clamped',
    why: 'A schedule of the 31st would run on the 3rd of March.',
    file: `${schedule}/timetable.ts`,
    from: 'Math.min(from.getUTCDate(), lastDay)',
    to: 'from.getUTCDate()',
    killer: { test: times, case: 'every > clamps the day to the length of the month, and remembers it' },
  },
  {
    name: 'wrong-clock-silences',
    why: 'A clock that was once years ahead would silence a schedule for years.',
    file: `${schedule}/decide.ts`,
    from: 'if (state.markMs > nowMs + AHEAD_MS) return change(afterWrongClock(state, nowMs));',
    to: 'if (state.markMs > nowMs + 1_000 * 366 * AHEAD_MS) return change(afterWrongClock(state, nowMs));',
    killer: { test: decide, case: 'clocks that are wrong > do not silence a schedule for years' },
  },
  {
    name: 'missed-without-bound',
    why: 'A coordinator that was down for a month would start hundreds of crawls when it is back.',
    file: `${schedule}/decide.ts`,
    from: "const most = schedule.missed === 'all' ? schedule.missedMost : 1;",
    to: "const most = schedule.missed === 'all' ? 1_000 : 1;",
    killer: {
      test: decide,
      case: 'after a time without coordinators > runs all up to a number, one after the other',
    },
  },
  {
    name: 'chain-ends-in-a-moment',
    why: 'A crawl with an endless chain of links would be said to end in a second, again and again.',
    file: 'packages/coordinator/src/crawl/time-left/time-left.ts',
    from: 'const isFinding = sinceFoundMs < Math.max(STILL_FINDING_MS, turnMs);',
    to: 'const isFinding = sinceFoundMs < 0;',
    killer: {
      test: timeLeft,
      case: 'an endless chain > that is left over from a large crawl is never said to end in a moment',
    },
  },
  {
    name: 'queue-of-a-host-ignored',
    why: 'A crawl whose last host takes an hour would be said to end in a minute.',
    file: 'packages/coordinator/src/crawl/time-left/time-left.ts',
    from: 'open / (perMs * (1 - foundLow)), queues.leastMs());',
    to: 'open / (perMs * (1 - foundLow)), 0);',
    killer: { test: timeLeft, case: 'many slow hosts > take as long as the longest queue' },
  },
];
