import type { Mutant } from './mutant.ts';

const live = (name: string) => ({ test: 'packages/cli/src/diagnostics/metrics.test.ts', case: name });
const reports = 'packages/coordinator/src/metrics';

/** What operators see, and wake up for. */
export const metricsMutants: readonly Mutant[] = [
  {
    name: 'pauses-flap-into-events',
    why: 'A crawl at a disk that is just full would write hundreds of events a minute.',
    file: 'packages/coordinator/src/events/flap-news.ts',
    from: 'const BURST = 6;',
    to: 'const BURST = 6_000;',
    killer: {
      test: 'packages/coordinator/src/events/flap-news.test.ts',
      case: 'counts pauses that flap in one report a minute, and tells how it ended',
    },
  },
  {
    name: 'stalls-flap-into-events',
    why: 'A polite crawl would write two events for each pause between requests.',
    file: 'packages/coordinator/src/crawl/crawl-watches.ts',
    from: 'stallNews.changed(cause);',
    to: "events.publish(cause ? { type: 'crawl-stalled', crawl, stall: cause, times: 1 } : { type: 'crawl-moving', crawl });",
    killer: {
      test: 'packages/coordinator/src/crawl/crawl-watches.test.ts',
      case: 'reports a crawl that stalls and moves again and again at a bounded rate, and knows at once how it stands',
    },
  },
  {
    name: 'store-flaps-into-events',
    why: 'A store that comes and goes would write hundreds of events a minute.',
    file: 'packages/coordinator/src/store/store-news.ts',
    from: 'watch?.onChange((trouble) => news.changed(trouble));',
    to: "watch?.onChange((trouble) => void events.publish(trouble ? { type: 'store-trouble', ...trouble, times: 1 } : { type: 'store-answers' }));",
    killer: {
      test: 'packages/coordinator/src/store/store-news.test.ts',
      case: 'counts a store that comes and goes in one event a minute, and tells how it stands',
    },
  },
  {
    name: 'flapping-hides-another-cause',
    why: 'A crawl that pauses between requests again and again would report a lost store a minute late.',
    file: 'packages/coordinator/src/events/flap-news.ts',
    from: 'if (counting && !isNew) return count(value);',
    to: 'if (counting) return count(value);',
    killer: {
      test: 'packages/coordinator/src/events/flap-news.test.ts',
      case: 'reports another cause at once, and first what it has counted',
    },
  },
  {
    name: 'store-counted-by-each-coordinator',
    why: 'With two coordinators of a store, every sum over its queue would be twice as large as the queue.',
    file: 'packages/coordinator/src/network/neighbours.ts',
    from: 'member.id < id && member.crawl === servedNow()',
    to: "member.id < '' && member.crawl === servedNow()",
    killer: {
      ...live('two coordinators of one store report each their own part, and one of them the store'),
      says: 'to deeply equal [ 1, 2 ]',
    },
  },
  {
    name: 'processes-uncounted',
    why: 'With --processes the pages and requests of a worker would be missing from every graph.',
    file: 'packages/cli/src/processes/worker-processes.ts',
    from: 'child.onNews((news) => counts?.heard(process, news));',
    to: 'child.onNews(() => undefined);',
    killer: live('worker processes are counted as one worker, each outcome once'),
  },
  {
    name: 'process-ends-without-its-last-counts',
    why: 'A crawl of less than a second would show no pages.',
    file: 'packages/cli/src/processes/forwarded-metrics.ts',
    from: '.catch(() => undefined);\n      await flush();',
    to: '.catch(() => undefined);\n      if (!over.signal.aborted) await flush();',
    killer: {
      test: 'packages/cli/src/processes/forwarded-metrics.test.ts',
      case: 'what was counted since the last second is sent before the process ends, summed',
    },
  },
  {
    name: 'process-ends-without-its-last-spans',
    why: 'A short crawl with --processes would leave no trace.',
    file: 'packages/cli/src/processes/worker-process.ts',
    from: 'if (tracing) lastWords.push(() => inTime(tracing.flush()));',
    to: '',
    killer: {
      test: 'packages/cli/src/diagnostics/trace-crawl.test.ts',
      case: 'worker processes report spans of their own before they end',
    },
  },
  {
    name: 'host-as-a-label',
    why: 'A crawl of a million hosts would make a million series, and end the Prometheus server.',
    file: `${reports}/report-coordinator.ts`,
    from: 'const crawl = labelOf(id);',
    to: 'const crawl = labelOf(id) && new URL(record.url).host;',
    killer: live('a coordinator with a worker counts each outcome once on either side, and names no host'),
  },
  {
    name: 'metrics-for-every-token',
    why: 'A member of one team could read the names and figures of the crawls of all teams.',
    file: 'packages/protocol/src/api/route.ts',
    from: "if (needs === 'metrics') return has === 'admin';",
    to: "if (needs === 'metrics') return has !== 'worker';",
    killer: live('the API answers /metrics to a token of its own scope and to an admin, and to nobody else'),
  },
  {
    name: 'alert-that-never-fires',
    why: 'Crawls could wait for a worker for days, and nobody would be told.',
    file: 'deploy/prometheus/rules.yml',
    from: 'webfarer_crawls_stalled{cause="no-worker"}',
    to: 'webfarer_crawls_stalled{cause="no-workers"}',
    killer: {
      test: 'test/alerts/rules.test.ts',
      case: 'each alert fires in the trouble it is for, and none in a healthy network',
    },
  },
  {
    name: 'alert-from-one-sample',
    why: 'A failover of three seconds that one scrape meets would wake somebody.',
    file: 'deploy/prometheus/rules.yml',
    from: 'avg_over_time(webfarer_store_trouble{cause="store"}[3m]) > 0.25',
    to: 'max_over_time(webfarer_store_trouble{cause="store"}[3m]) == 1',
    killer: {
      test: 'test/alerts/rules.test.ts',
      case: 'each alert fires in the trouble it is for, and none in a healthy network',
    },
  },
  {
    name: 'store-trouble-without-alert',
    why: 'A kind of trouble of the store would have no alert.',
    file: 'packages/protocol/src/metrics/metric-table.ts',
    from: "labels: { cause: ['store', 'store-full', 'store-replicas'] },",
    to: "labels: { cause: ['store', 'store-full', 'store-replicas', 'store-lost'] },",
    killer: { test: 'test/alerts/rules.test.ts', case: 'each trouble that a store can have has an alert' },
  },
];
