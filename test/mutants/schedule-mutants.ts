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
    from: 'return stored(cut === whole ? whole : `${cut}-${markOf(name)}`);',
    to: 'return stored(cut === whole ? whole : `${cut}-${markOf(cut)}`);',
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
    file: 'packages/coordinator/src/own-crawls/kept-crawl.ts',
    from: 'if (frontier || entry.unbegun)',
    to: 'if (frontier)',
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
  {
    name: 'registry-dated-by-waits',
    why: 'On a machine that was suspended a schedule would begin as many hours ago as that took.',
    file: 'packages/coordinator/src/registry/sqlite-registry.ts',
    from: 'const nowMs = Math.round(clock.wall());',
    to: 'const nowMs = Math.round(performance.timeOrigin + performance.now());',
    killer: {
      test: 'packages/coordinator/src/registry/sqlite-registry.test.ts',
      case: 'has the time of the wall clock after the machine was suspended',
    },
  },
  {
    name: 'schedules-by-own-clock',
    why: 'A coordinator whose clock is an hour ahead would run what is due in an hour, and pass over what comes before.',
    file: `${schedule}/registry-time.ts`,
    from: 'told = { registryMs, atMs: clock.now() };',
    to: 'told = { registryMs: clock.wall(), atMs: clock.now() };',
    killer: {
      test: engine,
      case: 'goes by the time at the registry, says that its own differs, and reports what was missed',
    },
  },
  {
    name: 'runs-missed-silently',
    why: 'Nobody would hear that instants of a schedule passed without a run.',
    file: `${schedule}/schedule-engine.ts`,
    from: 'else if (won) for (const news of newsOfSkipped(id, value.state, state)) events.publish(news);',
    to: '',
    killer: {
      test: engine,
      case: 'loses no run to a clock that was an hour ahead for seconds, and says what became of them',
    },
  },
  {
    name: 'wrong-clock-waited-for',
    why: 'After a clock that was an hour ahead for seconds a schedule would not run for an hour.',
    file: `${schedule}/decide.ts`,
    from: 'export const AHEAD_MS = 120_000;',
    to: 'export const AHEAD_MS = 86_400_000;',
    killer: {
      test: decide,
      case: 'cost no instant: those that were passed over are run, the one that was run is not run again',
    },
  },
  {
    name: 'late-run-forgotten',
    why: 'What was due while nobody had noticed yet that a clock was wrong would never run.',
    file: `${schedule}/decide.ts`,
    from: 'const markMs = Math.min(state.markMs, Math.max(decidedMs, nowMs - aheadForMs - LATE_MS));',
    to: 'const markMs = Math.min(state.markMs, nowMs);',
    killer: { test: decide, case: 'cost no instant that was due before it was noticed' },
  },
  {
    name: 'early-run-twice',
    why: 'What a clock that was ahead had run would be run a second time.',
    file: `${schedule}/decide.ts`,
    from: "if (hasRun(state, dueMs)) return change(skipped(options, 'clock', dueMs));",
    to: '',
    killer: {
      test: decide,
      case: 'cost no instant: those that were passed over are run, the one that was run is not run again',
    },
  },
  {
    name: 'schedule-replaces-before-it-may',
    why: 'A schedule whose policy was removed would stop the run in progress and start none.',
    file: `${schedule}/catalog-runs.ts`,
    from: 'await jobOfRun(doc, run.name, options.jobs);',
    to: '',
    killer: {
      test: `${schedule}/catalog-runs.test.ts`,
      case: 'stops nothing for a run whose job is refused by now',
    },
  },
  {
    name: 'schedule-stops-what-is-over',
    why: 'A crawl that finished just before its schedule replaced it would be listed as stopped.',
    file: `${schedule}/catalog-runs.ts`,
    from: "wanting(now, 'stopped')",
    to: "({ ...wanting(now, 'stopped'), wanted: 'stopped' })",
    killer: {
      test: `${schedule}/catalog-runs.test.ts`,
      case: 'leaves a run that is over as it ended, though another one replaces it',
    },
  },
  {
    name: 'schedule-stops-what-was-resumed',
    why: 'A crawl that an operator resumed while its schedule replaced it would stand still and be listed as running.',
    file: 'packages/coordinator/src/scheduled-crawls.ts',
    from: "'stopped', entry.version)",
    to: "'stopped', undefined)",
    killer: {
      test: 'packages/coordinator/src/scheduled-crawls.test.ts',
      case: 'does not stop a crawl of the store that was resumed since, nor another one of its name',
    },
  },
];
