// watches: packages/coordinator/src/link, packages/coordinator/src/crawl, packages/coordinator/src/frontier
// watches: packages/coordinator/src/own-crawls, packages/coordinator/src/registry, packages/coordinator/src/redis
// watches: packages/worker/src/crawls, packages/worker/src/link
// misses: crawls that are lost, late or slow because there are very many of them
import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { randomFrom } from '../fuzz/random.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { judgeCrawls } from '../thousand/judge-crawls.ts';
import { asOne, planCrawls, type PlannedCrawl } from '../thousand/plan.ts';
import { runCrawls, type RunOptions } from '../thousand/run-crawls.ts';
import { type Sites, startSites } from '../thousand/sites.ts';
import { argument, workFolder } from './lab.ts';

/**
 * `firstFetchMs`: the slowest hundredth, from the call to the first request, where the machine has a processor for everybody. `evenness`:
 * Jain's index over crawls that are alike.
 */
const plans = {
  quick: {
    size: { crawls: 60, mostPages: 200, sharedHosts: 24, twins: 2, twinHosts: 2, pagesPerTwinHost: 12 },
    network: { coordinators: 2, workers: 2, primaries: 3, createWithinMs: 12_000 },
    // Of 68 crawls the slowest hundredth is one.
    bars: { firstFetchMs: 4_000, evenness: 0.85 },
  },
  full: {
    size: { crawls: 960, mostPages: 2_000, sharedHosts: 400, twins: 10, twinHosts: 4, pagesPerTwinHost: 15 },
    network: { coordinators: 3, workers: 8, primaries: 3, createWithinMs: 120_000 },
    bars: { firstFetchMs: 2_000, evenness: 0.95 },
  },
};
/** Longer than it takes to report and to lease again, so that a pause that nobody keeps is seen. */
const gapMs = 200;
const connections = 32;
/** Nothing has been finished or done for so long: it never will be. */
const withinMs = 90_000;
/** Pages for each second of CPU, over those of one crawl of the same pages. */
const leastEfficiency = 0.8;

/**
 * Very many crawls of one network, from one page to thousands, in four teams of which one has most: created while others run,
 * while a worker, a coordinator and a primary of the store are killed, and crawls are paused. By the log of the sites every
 * page is asked for, no host too soon whichever crawls ask, and no crawl waits long for its first page. Then the same without
 * disturbance: crawls that are alike are served alike. Then the same pages as one crawl: many must not cost much more.
 * `--crawls N`, `--seed N`, `--only disturbed` or `--only cost`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const plan = quick ? plans.quick : plans.full;
  const size = { ...plan.size, crawls: Number(argument(args, '--crawls') ?? plan.size.crawls) };
  const seed = Number(argument(args, '--seed') ?? (quick ? 3 : Math.floor(Math.random() * 1e6)));
  const only = argument(args, '--only') ?? (quick ? 'disturbed' : undefined);
  const work = workFolder('thousand-crawls');
  const sites = await startSites();
  const requests = () => sites.log.length;
  const options = { ...plan.network, connections, gapMs, seed, withinMs, requests };
  /** The hosts of each run are new. */
  const newPlan = async () => {
    const crawls = planCrawls(size, randomFrom(seed), sites.add);
    await sites.listen();
    return crawls;
  };
  const play = async (name: string, crawls: readonly PlannedCrawl[], more: Partial<RunOptions>) => {
    const under = join(work.path, name);
    mkdirSync(under, { recursive: true });
    console.error(`${name}: ${crawls.length} crawls, ${pagesOf(crawls)} pages`);
    return await runOn(sites, crawls, { ...options, bars: plan.bars, under, disturb: false, ...more });
  };
  try {
    const disturbed =
      only === 'cost' ? undefined : await play('disturbed', await newPlan(), { disturb: true });
    let cost: { many: Shown; one: Shown; efficiency: number } | undefined;
    if (only !== 'disturbed') {
      const crawls = await newPlan();
      const many = await play('many', crawls, {});
      const one = await play('one', [asOne(crawls)], { createWithinMs: 0 });
      cost = {
        many,
        one,
        efficiency: Math.round((many.pagesPerCpuSecond / one.pagesPerCpuSecond) * 1_000) / 1_000,
      };
    }
    const shown = [disturbed, cost?.many, cost?.one].filter((one) => one !== undefined);
    return {
      ok: shown.every(({ wrong }) => wrong.length === 0),
      tooSlow:
        [disturbed, cost?.many].some((one) => (one?.slow ?? []).length > 0) ||
        (cost !== undefined && cost.efficiency < leastEfficiency),
      result: {
        ...(disturbed ? { disturbed } : {}),
        ...cost,
        sizes: { ...size, ...plan.network, gapMs, seed },
      },
    };
  } finally {
    await sites.stop();
    work.remove();
  }
}

const pagesOf = (crawls: readonly PlannedCrawl[]) => crawls.reduce((sum, { urls }) => sum + urls.length, 0);

type Bars = (typeof plans)['full']['bars'];
type Shown = Awaited<ReturnType<typeof runOn>>;

async function runOn(
  sites: Sites,
  crawls: readonly PlannedCrawl[],
  { bars, ...options }: RunOptions & { bars: Bars },
) {
  sites.clear();
  const ran = await runCrawls(crawls, options);
  const judged = judgeCrawls(crawls, { ran, log: sites.log, gapMs: options.gapMs });
  for (const example of judged.examples) console.error(`  ${example}`);
  const { unfinished, miscounted, killed, pauses, tookMs, cpuMs, stretch } = ran;
  const counts = { ...judged, unfinished: unfinished.length, miscounted: miscounted.length };
  for (const text of [...unfinished, ...miscounted].slice(0, 20)) console.error(`  ${text}`);
  const zeros = ['lost', 'extra', 'gapViolations', 'unfinished', 'miscounted'] as const;
  const allowedMs = Math.round(bars.firstFetchMs * Math.max(1, stretch));
  const { examples: _, ...found } = counts;
  return {
    ...found,
    wrong: zeros.filter((name) => counts[name] > 0),
    slow: [
      ...(counts.firstFetch.p99 > allowedMs ? ['firstFetch'] : []),
      // A crawl that a killed worker had in hand is not served like the others.
      ...(!options.disturb && counts.evenness < bars.evenness ? ['evenness'] : []),
    ],
    allowedFirstFetchMs: allowedMs,
    killed,
    pauses,
    seconds: Math.round(tookMs / 1_000),
    cpuSeconds: Math.round(cpuMs / 1_000),
    pagesPerCpuSecond: Math.round((pagesOf(crawls) / (cpuMs / 1_000)) * 10) / 10,
    stretch: Math.round(stretch * 100) / 100,
  };
}
