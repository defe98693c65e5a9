// watches: packages/coordinator/src/redis, packages/coordinator/src/frontier/redis
// misses: the measurement of commands a page on Redis no longer runs
import {
  openRedisFrontier,
  openStore,
  type RedisFrontier,
  type RedisStore,
} from '../packages/coordinator/src/redis.ts';
import type { StoreCall } from '../packages/coordinator/src/redis/client/call.ts';
import { scripts } from '../packages/coordinator/src/redis/client/scripts.ts';
import {
  type CrawlId,
  type LeaseReport,
  type Offer,
  systemClock,
  type Url,
  type WorkerId,
} from '../packages/protocol/src/index.ts';
import { startRedis } from '../test/redis/servers.ts';
import type { BenchOptions, BenchResult } from './bench.ts';
import { doneWith } from './redis/done-with.ts';
import { mainThreadCpuMs } from './process-cpu.ts';

/**
 * What one page costs the engine: a crawl in which every page offers 35 URLs to 10 other hosts and some to its
 * own, leased and reported as a worker does it. Twice: with some hundred pages in a report, as a coordinator passes
 * on what many workers told it, and page by page by 64 reporters at once, where nothing is gathered but what happens
 * to be on its way. Client requests are commands sent to the server; transitions are counted by the server, once
 * each, whatever they do inside.
 */
const full = { pages: 20_000, pagesOneByOne: 5000, hosts: 4000 };
const small = { pages: 1500, pagesOneByOne: 500, hosts: 400 };
const gathered: Manner = { reporters: 4, hostsAtOnce: 16, urlsPerHost: 10, oneByOne: false };
const oneByOne: Manner = { reporters: 64, hostsAtOnce: 1, urlsPerHost: 10, oneByOne: true };
const page = { foreignHosts: 10, foreignLinks: 35, ownLinks: 5 };
const bars = { requestsPerPage: 10, redisMicrosPerPage: 300 };
const crawl = 'bench' as CrawlId;
const clock = systemClock();

interface Manner {
  reporters: number;
  hostsAtOnce: number;
  urlsPerHost: number;
  /** Each page is a report of its own. */
  oneByOne: boolean;
}

export async function bench({ quick }: BenchOptions): Promise<BenchResult> {
  const { pages, pagesOneByOne, hosts } = quick ? small : full;
  const result = {
    ...(await measure(gathered, { pages, hosts })),
    oneByOne: await measure(oneByOne, { pages: pagesOneByOne, hosts }),
    bars,
    sizes: { gathered, oneByOne, hosts, ...page },
  };
  // The page-by-page form is shown beside; the bars are for a coordinator's work.
  const ok =
    result.requestsPerPage <= bars.requestsPerPage && result.redisMicrosPerPage <= bars.redisMicrosPerPage;
  return { ok, result };
}

/** One crawl on a server of its own. */
async function measure(manner: Manner, sizes: { pages: number; hosts: number }) {
  const servers = await startRedis({ settings: { appendonly: 'no' } });
  const sent = new Map<string, number>();
  const store = await openStore({
    url: servers.url,
    replicas: 0,
    clock,
    fault: (calls) => {
      for (const call of calls) sent.set(nameOf(call), (sent.get(nameOf(call)) ?? 0) + 1);
    },
  });
  try {
    const frontier = await openRedisFrontier({ store, clock });
    const pace = { gapMs: 0, leaseTtlMs: 600_000, maxFetchMs: 30_000, backoffMs: 10_000, deadAfter: 5 };
    await frontier.openCrawl({ id: crawl, ...pace, limits: {} });
    await frontier.offer(
      crawl,
      Array.from({ length: sizes.hosts }, (_, n) => offerOf(urlOf(n, 0), 0)),
    );
    const pid = servers.nodes[0]?.pid ?? 0;
    const before = { transitions: await transitionCount(store), cpu: mainThreadCpuMs(pid) };
    sent.clear();
    const done = await crawlPages(frontier, manner, sizes);
    // Only what stands outside of scripts; the server counts what they call inside as well.
    const plain = [...sent].reduce((sum, [name, n]) => (name in scripts ? sum : sum + n), 0);
    const transitions = (await transitionCount(store)) - before.transitions;
    const { known } = await frontier.balance(crawl);
    return {
      requestsPerPage: round((transitions + plain) / done),
      redisMicrosPerPage: Math.round(((mainThreadCpuMs(pid) - before.cpu) * 1000) / done),
      perPage: Object.fromEntries([...sent].map(([name, n]) => [name, round(n / done)])),
      pages: done,
      known,
    };
  } finally {
    await store.close();
    await servers.stop();
  }
}

/** Answers how many were done. */
async function crawlPages(
  frontier: RedisFrontier,
  { reporters, hostsAtOnce, urlsPerHost, oneByOne: apart }: Manner,
  { pages, hosts }: { pages: number; hosts: number },
): Promise<number> {
  let done = 0;
  let idle = 0;
  const work = async (name: string) => {
    const worker = name as WorkerId;
    while (done < pages) {
      const { leases, nextDueMs } = await frontier.lease({ worker, hosts: hostsAtOnce, urlsPerHost });
      if (leases.length === 0) {
        if (nextDueMs === null || ++idle > 1000) break;
        await clock.sleep(Math.min(nextDueMs, 20) + 1);
        continue;
      }
      done += leases.reduce((sum, { entries }) => sum + entries.length, 0);
      const reports = leases.map((lease) => doneWith(lease, (url) => linksOf(url, hosts)));
      if (apart) for (const report of reports.flatMap(pageByPage)) await frontier.report([report]);
      else await frontier.report(reports);
    }
  };
  await Promise.all(Array.from({ length: reporters }, (_, n) => work(`w${n}`)));
  return done;
}

/** The last one closes the lease. */
function pageByPage(report: LeaseReport): LeaseReport[] {
  const last = report.settled.length - 1;
  return report.settled.map((settlement, n) => ({ ...report, settled: [settlement], close: n === last }));
}

function round(n: number): number {
  return Math.round(n * 100) / 100;
}

/** The transition, or the command. */
function nameOf({ script, args }: StoreCall): string {
  return script === undefined ? String(args[0]).toLowerCase() : script.name.replace(/^wf_|_\w+$/g, '');
}

/** Transitions that the server carried out, those sent again included: no script calls another. */
async function transitionCount(store: RedisStore): Promise<number> {
  const [info] = await store.run([{ key: '{wf}', args: ['INFO', 'commandstats'] }]);
  return Number(/^cmdstat_fcall:calls=(\d+)/m.exec(info as string)?.[1] ?? 0);
}

/** The links of a page follow from its URL; about half of them are known already after a while. */
function linksOf(url: Url, hosts: number): Offer[] {
  const [, host = '0', path = '0'] = /site-(\d+)\.example\/page-(\d+)/.exec(url) ?? [];
  const seed = Number(host) * 7919 + Number(path) * 104_729;
  const links: Offer[] = [];
  for (let k = 0; k < page.ownLinks; k++)
    links.push(offerOf(urlOf(Number(host), (Number(path) + k + 1) % 500), 1));
  for (let k = 0; k < page.foreignLinks; k++) {
    const to = (seed + (k % page.foreignHosts) * 613) % hosts;
    links.push(offerOf(urlOf(to, (seed + k * 31) % 500), 1));
  }
  return links;
}

function urlOf(host: number, path: number): Url {
  return `https://site-${host}.example/page-${path}` as Url;
}

function offerOf(url: Url, depth: number): Offer {
  return { url, kind: 'page', depth, cost: 0, hops: 0 };
}
