// watches: packages/coordinator/src/api, packages/coordinator/src/stream, packages/coordinator/src/catalog
// watches: packages/coordinator/src/registry, packages/protocol/src/api
// misses: the measurement of lists and subscribers no longer runs
import { cpus, loadavg } from 'node:os';
import { argument } from '../test/prove/lab.ts';
import { crawlLists, type ListFigure } from './api/crawl-list.ts';
import { type HostCountFigures, hostCounts } from './api/host-counts.ts';
import { type UrlFilterFigures, urlFilters } from './api/url-filters.ts';
import { subscribers, type SubscribersFigures } from './api/subscribers.ts';
import type { BenchOptions, BenchResult } from './bench.ts';

/** A list of hosts may cost the store this much more with what it counts of each. */
const bars = {
  hostCounts: 1.15,
  filterMs: 1_000,
  listMs: 1_000,
  ofCore: 0.3,
  rateKept: 0.95,
  leastServed: 0.9,
};
const sizes = {
  quick: {
    known: 5_000,
    crawls: 300,
    listRounds: 1,
    listedHosts: 100,
    hostRounds: 2,
    recordedSteps: 60,
    subscribers: 30,
    rounds: 1,
    phaseMs: 2_000,
    hosts: 20,
    gapMs: 500,
  },
  full: {
    known: 1_000_000,
    crawls: 10_000,
    listRounds: 5,
    listedHosts: 1_000,
    hostRounds: 15,
    // A day.
    recordedSteps: 4_320,
    subscribers: 200,
    rounds: 5,
    phaseMs: 15_000,
    hosts: 200,
    gapMs: 1_000,
  },
};
const parts = ['filters', 'lists', 'hosts', 'subscribers'] as const;
const stores = ['sqlite', 'redis'] as const;

/**
 * What programs and people who look cost a coordinator: filters of many URLs, lists of many crawls and of the hosts of one, and many
 * subscribers of the stream while a crawl runs. Lists are judged by the CPU time of all who take part, which is what they take on a free
 * machine; the stream by differences within one run. The load of the machine stands beside the figures.
 * `--only filters|lists|hosts|subscribers --store sqlite|redis --rounds N --subscribers N --seconds N`.
 */
export async function bench({ quick, args }: BenchOptions): Promise<BenchResult> {
  const usual = quick ? sizes.quick : sizes.full;
  const size = {
    ...usual,
    rounds: Number(argument(args, '--rounds') ?? usual.rounds),
    subscribers: Number(argument(args, '--subscribers') ?? usual.subscribers),
    phaseMs: Number(argument(args, '--seconds') ?? usual.phaseMs / 1_000) * 1_000,
  };
  const chosen = parts.filter((part) => (argument(args, '--only') ?? part) === part);
  const where = stores.filter((store) => (argument(args, '--store') ?? store) === store);
  let filters: UrlFilterFigures | undefined;
  if (chosen.includes('filters')) filters = await urlFilters({ known: size.known });
  let hosts: HostCountFigures | undefined;
  if (chosen.includes('hosts') && where.includes('redis'))
    hosts = await hostCounts({
      hosts: size.listedHosts,
      known: size.known,
      rounds: size.hostRounds,
      steps: size.recordedSteps,
    });
  const lists: Record<string, Record<string, ListFigure>> = {};
  const stream: Record<string, SubscribersFigures> = {};
  for (const store of where) {
    if (chosen.includes('lists'))
      lists[store] = await crawlLists({ crawls: size.crawls, rounds: size.listRounds }, store);
    if (chosen.includes('subscribers')) stream[store] = await subscribers(size, store);
  }
  const asked = Object.values(lists).flatMap((figures) => Object.values(figures));
  const slowest = (of: 'wholeMs' | 'busyMs') =>
    asked.length > 0 ? Math.max(...asked.map((one) => one[of])) : null;
  const followed = Object.values(stream);
  const isFast =
    asked.every(({ busyMs }) => busyMs <= bars.listMs) &&
    (filters?.slowestMs ?? 0) <= bars.filterMs &&
    (hosts?.countsCost.median ?? 0) <= bars.hostCounts;
  const isCheap = followed.every(
    ({ costOfCore, rateKept }) =>
      (costOfCore.median ?? 1) < bars.ofCore && (rateKept.median ?? 0) >= bars.rateKept,
  );
  return {
    ok:
      asked.every(({ right }) => right) &&
      (filters?.disagreements ?? 0) === 0 &&
      (hosts?.right ?? true) &&
      followed.every(({ leastServed }) => leastServed >= bars.leastServed) &&
      // The quick form only shows that everything runs.
      (quick || (isFast && isCheap)),
    result: {
      slowestFilterMs: filters?.slowestMs ?? null,
      slowestListMs: slowest('busyMs'),
      slowestListWallMs: slowest('wholeMs'),
      costOfCore: Object.fromEntries(
        Object.entries(stream).map(([store, one]) => [store, one.costOfCore.median]),
      ),
      rateKept: Object.fromEntries(
        Object.entries(stream).map(([store, one]) => [store, one.rateKept.median]),
      ),
      bars,
      filters,
      lists,
      hosts,
      stream,
      load: loadavg()[0],
      sizes: { ...size, cores: cpus().length },
    },
  };
}
