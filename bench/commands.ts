import { openRedisFrontier, openStore, type RedisStore } from '../packages/coordinator/src/redis.ts';
import type { StoreCall } from '../packages/coordinator/src/frontier/redis/call.ts';
import { scripts } from '../packages/coordinator/src/frontier/redis/scripts.ts';
import {
  type CrawlId,
  type Offer,
  systemClock,
  type Url,
  type WorkerId,
} from '../packages/protocol/src/index.ts';
import { startRedis } from '../test/redis/servers.ts';
import type { BenchOptions, BenchResult } from './bench.ts';
import { doneWith } from './redis/done-with.ts';
import { cpuMs } from './process-cpu.ts';

/**
 * What one page costs the engine: a crawl in which every page offers 35 URLs to 10 other hosts and some to its
 * own, leased and reported as a worker does it, several hosts at once. Client requests are commands sent to the
 * server; transitions are counted by the server, once each, whatever they do inside.
 */
const full = { pages: 20_000, hosts: 4000, workers: 4, hostsAtOnce: 16, urlsPerHost: 10 };
const small = { ...full, pages: 1500, hosts: 400 };
const page = { foreignHosts: 10, foreignLinks: 35, ownLinks: 5 };
const bars = { requestsPerPage: 10, redisMicrosPerPage: 300 };
const crawl = 'bench' as CrawlId;

export async function bench({ quick }: BenchOptions): Promise<BenchResult> {
  const sizes = quick ? small : full;
  const servers = await startRedis({ settings: { appendonly: 'no' } });
  const clock = systemClock();
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
    const before = { transitions: await transitionCount(store), cpu: cpuMs(pid) };
    sent.clear();
    let done = 0;
    let idle = 0;
    const work = async (name: string) => {
      while (done < sizes.pages) {
        const { leases, nextDueMs } = await frontier.lease({
          worker: name as WorkerId,
          hosts: sizes.hostsAtOnce,
          urlsPerHost: sizes.urlsPerHost,
        });
        if (leases.length === 0) {
          if (nextDueMs === null || ++idle > 1000) break;
          await clock.sleep(Math.min(nextDueMs, 20) + 1);
          continue;
        }
        done += leases.reduce((sum, { entries }) => sum + entries.length, 0);
        await frontier.report(leases.map((lease) => doneWith(lease, (url) => linksOf(url, sizes.hosts))));
      }
    };
    await Promise.all(Array.from({ length: sizes.workers }, (_, n) => work(`w${n}`)));
    // Only what stands outside of scripts; the server counts what they call inside as well.
    const plain = [...sent].reduce((sum, [name, n]) => (name in scripts ? sum : sum + n), 0);
    const transitions = (await transitionCount(store)) - before.transitions;
    const requestsPerPage = (transitions + plain) / done;
    const redisMicrosPerPage = ((cpuMs(pid) - before.cpu) * 1000) / done;
    const { known } = await frontier.balance(crawl);
    const result = {
      requestsPerPage: Math.round(requestsPerPage * 100) / 100,
      redisMicrosPerPage: Math.round(redisMicrosPerPage),
      perPage: Object.fromEntries([...sent].map(([name, n]) => [name, Math.round((n / done) * 100) / 100])),
      pages: done,
      known,
      bars,
      sizes: { ...sizes, ...page },
    };
    const ok =
      result.requestsPerPage <= bars.requestsPerPage && result.redisMicrosPerPage <= bars.redisMicrosPerPage;
    return { ok, result };
  } finally {
    await store.close();
    await servers.stop();
  }
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
