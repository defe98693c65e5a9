import { cpus, loadavg } from 'node:os';
import { argument } from '../test/prove/lab.ts';
import { crawlLists, type ListFigure } from './api/crawl-list.ts';
import { subscribers, type SubscribersFigures } from './api/subscribers.ts';
import type { BenchOptions, BenchResult } from './bench.ts';

const bars = { listMs: 1_000, ofCore: 0.3, rateKept: 0.95, leastServed: 0.9 };
const sizes = {
  quick: { crawls: 300, listRounds: 1, subscribers: 30, rounds: 1, phaseMs: 2_000, hosts: 20, gapMs: 500 },
  full: {
    crawls: 10_000,
    listRounds: 5,
    subscribers: 200,
    rounds: 5,
    phaseMs: 15_000,
    hosts: 200,
    gapMs: 1_000,
  },
};
const parts = ['lists', 'subscribers'] as const;
const stores = ['sqlite', 'redis'] as const;

/**
 * What programs and people who look cost a coordinator: lists of many crawls, and many subscribers of the stream while a
 * crawl runs. Every figure of the stream is a difference within one run; the load of the machine stands beside it.
 * `--only lists|subscribers --store sqlite|redis --rounds N --subscribers N --seconds N`.
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
  const lists: Record<string, Record<string, ListFigure>> = {};
  const stream: Record<string, SubscribersFigures> = {};
  for (const store of where) {
    if (chosen.includes('lists'))
      lists[store] = await crawlLists({ crawls: size.crawls, rounds: size.listRounds }, store);
    if (chosen.includes('subscribers')) stream[store] = await subscribers(size, store);
  }
  const asked = Object.values(lists).flatMap((figures) => Object.values(figures));
  const slowestListMs = asked.length > 0 ? Math.max(...asked.map(({ wholeMs }) => wholeMs)) : null;
  const followed = Object.values(stream);
  const isFast = asked.every(({ wholeMs }) => wholeMs <= bars.listMs);
  const isCheap = followed.every(
    ({ costOfCore, rateKept }) =>
      (costOfCore.median ?? 1) < bars.ofCore && (rateKept.median ?? 0) >= bars.rateKept,
  );
  return {
    ok:
      asked.every(({ right }) => right) &&
      followed.every(({ leastServed }) => leastServed >= bars.leastServed) &&
      // The quick form only shows that everything runs.
      (quick || (isFast && isCheap)),
    result: {
      slowestListMs,
      costOfCore: Object.fromEntries(
        Object.entries(stream).map(([store, one]) => [store, one.costOfCore.median]),
      ),
      rateKept: Object.fromEntries(
        Object.entries(stream).map(([store, one]) => [store, one.rateKept.median]),
      ),
      bars,
      lists,
      stream,
      load: loadavg()[0],
      sizes: { ...size, cores: cpus().length },
    },
  };
}
