import type { Mutant } from './mutant.ts';

const log = (name: string) => ({ test: 'packages/coordinator/src/events/process-log.test.ts', case: name });
const spans = (name: string) => ({ test: 'packages/worker/src/tracing/tracing.test.ts', case: name });
const processLog = 'packages/coordinator/src/events/process-log.ts';
const openTracing = 'packages/worker/src/tracing/open-tracing.ts';
const snapshotStore = 'packages/coordinator/src/redis/snapshot/snapshot-store.ts';
const snapshotTest = 'packages/coordinator/src/redis/snapshot/snapshot-store.test.ts';

/** What looks into a running process, and copies of a running store. */
export const diagnosticsMutants: readonly Mutant[] = [
  {
    name: 'log-level-exact',
    why: 'A log of warnings would not hold the errors.',
    file: processLog,
    from: 'levels.indexOf(eventCatalogue[type].level) >= levels.indexOf(level)',
    to: 'levels.indexOf(eventCatalogue[type].level) <= levels.indexOf(level)',
    killer: log('writes one line for each event of its level or worse, with secrets masked'),
  },
  {
    name: 'log-of-every-host',
    why: 'An operator who asks for one host would be given the pages of all.',
    file: processLog,
    from: 'return host === undefined || hosts.some((pattern) => fitsHost(pattern, host));',
    to: 'return host === undefined || hosts.length > 0;',
    killer: log('leaves out events of other crawls and hosts, and keeps those that name none'),
  },
  {
    name: 'log-kept-one-too-few',
    why: 'With --log-keep 2 the events of the day before would be gone.',
    file: 'packages/coordinator/src/events/rotating-file.ts',
    from: 'for (let n = keep - 1; n >= 1; n--)',
    to: 'for (let n = keep - 2; n >= 1; n--)',
    killer: log('a file is kept aside when it is full, and as many of those as were asked for'),
  },
  {
    name: 'spans-without-parents',
    why: 'A trace would be a heap of requests that belong to no URL.',
    file: openTracing,
    from: 'return tracer.startActiveSpan(name, { attributes: about() }, async (span) => {',
    to: 'return tracer.startActiveSpan(name, { attributes: about(), root: true }, async (span) => {',
    killer: spans('a span inside another is its child, and carries what is known at its end'),
  },
  {
    name: 'spans-of-failures-look-well',
    why: 'Whoever looks for failed URLs in a trace would find none.',
    file: openTracing,
    from: 'span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).message });',
    to: '',
    killer: spans('what work throws is recorded and thrown on'),
  },
  {
    name: 'spans-lost-at-the-end',
    why: 'A crawl of some seconds would leave no trace with an SDK that exports in batches.',
    file: openTracing,
    from: 'await flushOf(trace.getTracerProvider())?.().catch(() => undefined);',
    to: '',
    killer: spans('spans that an SDK keeps back are exported before the process ends'),
  },
  {
    name: 'profile-ends-at-the-first-signal',
    why: 'The second SIGUSR2 would write nothing, or the end of the process would fail.',
    file: 'packages/cli/src/diagnostics/profile.ts',
    from: "if (!isOver) await session.post('Profiler.start');",
    to: '',
    killer: {
      test: 'packages/cli/src/diagnostics/profile.test.ts',
      case: 'writes a CPU profile and figures of the heap at the end, and on a signal what there is so far',
      says: 'No recording profiles found',
    },
  },
  {
    name: 'snapshot-of-different-moments',
    why: 'A page could be recorded in the copy of one shard, and its links missing in that of another.',
    file: snapshotStore,
    from: "await Promise.all(shards.map((shard) => ask(shard, ['CLIENT', 'PAUSE', String(pauseMs), 'WRITE'])));",
    to: '',
    killer: {
      test: snapshotTest,
      case: 'each shard forks while it accepts no writes, and accepts them again after that',
    },
  },
  {
    name: 'snapshot-that-keeps-the-pause',
    why: 'All crawls of the store would stall for ten seconds with every copy.',
    file: snapshotStore,
    from: "await Promise.allSettled(shards.map((shard) => ask(shard, ['CLIENT', 'UNPAUSE'])));",
    to: '',
    killer: {
      test: snapshotTest,
      case: 'each shard forks while it accepts no writes, and accepts them again after that',
    },
  },
  {
    name: 'snapshot-that-failed-looks-well',
    why: 'An operator would keep an old file, and learn of it after the loss.',
    file: snapshotStore,
    from: "if (info.includes('rdb_last_bgsave_status:ok')) return;",
    to: "if (info.includes('rdb_last_bgsave_status:')) return;",
    killer: {
      test: snapshotTest,
      case: 'a copy that could not be written is an error, and writes are accepted again',
      says: 'instead of rejecting',
    },
  },
];
