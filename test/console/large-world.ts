import { join } from 'node:path';
import {
  type CrawlId,
  type Entry,
  type Offer,
  type Settlement,
  systemClock,
  type Url,
  type WorkerId,
} from '@webfarer/protocol';
import type { ApiClient } from '@webfarer/protocol/api';
import { settlementOf } from '../../bench/api/outcomes.ts';
import { createHostSampler } from '../../packages/coordinator/src/crawl/host-sampler.ts';
import { openRedisCatalog } from '../../packages/coordinator/src/catalog/redis-catalog.ts';
import type { Frontier } from '../../packages/coordinator/src/frontier/frontier.ts';
import {
  openRedisFrontier,
  type RedisFrontier,
} from '../../packages/coordinator/src/frontier/redis/redis-frontier.ts';
import { openStore, type RedisStore } from '../../packages/coordinator/src/redis/store.ts';
import { createDns } from '../fake-web/dns.ts';
import { publicAddress } from '../install/own-network.ts';
import type { CoordinatorProcess } from '../network/launcher.ts';
import { type LightWorker, startLightWorkers } from '../network/light-workers.ts';
import { until } from '../prove/lab.ts';
import { startRedis } from '../redis/servers.ts';
import { coordinatorCount, furnish, openCoordinators, untilHostsRecorded } from './coordinators.ts';
import { frameOf } from './machine-frames.ts';

export interface LargeSize {
  /** URLs that one crawl knows. */
  known: number;
  workers: number;
  /** In the list, beside the large one. */
  crawls: number;
}

/** Three coordinators on a Redis cluster behind one address, with as much to show as the sizes say. */
export interface LargeWorld {
  /** Of the proxy: what a person opens. */
  readonly url: string;
  readonly token: string;
  readonly coordinators: readonly CoordinatorProcess[];
  /** Of a coordinator, whatever the proxy does. */
  apiAt(n: number): ApiClient;
  /** Seconds that each part of the preparation took. */
  readonly prepared: Record<string, number>;
  /** All workers leave. */
  dismiss(): Promise<void>;
  stop(): Promise<void>;
}

export const largeCrawl = 'large';
const perCall = 5_000;
const workersAtOnce = 100;
const nowMs = 1_800_000_000_000;
const feeder = 'feeder' as WorkerId;
/** Between two rounds in which some of the URLs come to an end, so that there is something to watch. */
const feedEveryMs = 500;

export async function openLargeWorld(under: string, size: LargeSize): Promise<LargeWorld> {
  const prepared: Record<string, number> = {};
  const ends: (() => Promise<unknown>)[] = [];
  const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const from = performance.now();
    const made = await work();
    prepared[name] = Math.round((performance.now() - from) / 100) / 10;
    console.error(`  ${name}: ${prepared[name]} s`);
    return made;
  };
  const stop = async () => {
    for (const end of ends.reverse()) await end();
  };
  try {
    // Nothing is fetched, but every name of a site has an address.
    const dns = createDns((name) => (name.endsWith('.example') ? publicAddress : undefined));
    await dns.start(53);
    ends.push(() => dns.stop());
    const redis = await startRedis({ primaries: 3, settings: { appendonly: 'no' } });
    ends.push(() => redis.stop());
    const clock = systemClock();
    const store = await openStore({ url: redis.url, replicas: 0, clock });
    const frontier = await openRedisFrontier({ store, clock });
    ends.push(() => frontier.close());
    await timed('crawls', () => fillCatalog(store, size.crawls));
    const coordinators = await openCoordinators({ under, store: redis.url, workers: 0 });
    ends.push(coordinators.stop);
    const { url, token, workerToken, all, apiAt } = coordinators;
    await furnish(apiAt(0));
    const crawl = await createLarge(apiAt(0));
    await timed('URLs', () => offerMany(frontier, crawl, size.known));
    const workers: LightWorker[] = [];
    const dismiss = async () => {
      await Promise.all(workers.splice(0).map((worker) => worker.stop().catch(() => undefined)));
    };
    ends.push(dismiss);
    await timed('workers', async () => {
      for (let from = 0; from < size.workers; from += workersAtOnce)
        workers.push(
          ...(await startLightWorkers({
            count: Math.min(workersAtOnce, size.workers - from),
            first: from,
            urlOf: (n) => (all[n % coordinatorCount] as CoordinatorProcess).url(),
            token: workerToken,
            folder: join(under, 'light'),
            frameOf,
          })),
        );
      await until(
        'all workers to be counted',
        async () => {
          const { items } = await apiAt(0).listCoordinators();
          return items.reduce((sum, one) => sum + one.workers, 0) === size.workers;
        },
        60_000,
      );
    });
    const fed = feed(frontier, crawl);
    ends.push(fed.stop);
    await timed('hosts', () => untilHostsRecorded(apiAt(0), crawl));
    return { url, token, coordinators: all, apiAt, prepared, dismiss, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Crawls that are over: no coordinator has to open them. */
async function fillCatalog(store: RedisStore, crawls: number): Promise<void> {
  const catalog = await openRedisCatalog(store, { nowMs });
  const states = ['finished', 'finished', 'finished', 'limited', 'stopped'] as const;
  const create = async (n: number) => {
    const name = `crawl-${String(n).padStart(5, '0')}`;
    await catalog.create({
      id: name as CrawlId,
      name,
      nonce: `nonce-${name}`,
      createdAtMs: Date.now() - n * 60_000,
      job: { name, seeds: [`https://${name}.example/`] },
      seeds: [`https://${name}.example/`],
      tags: n % 2 === 0 ? ['weekly'] : [],
      wanted: states[n % states.length] ?? 'finished',
      durability: 'available',
      ownCode: false,
    });
  };
  for (let from = 0; from < crawls; from += 500)
    await Promise.all(Array.from({ length: Math.min(500, crawls - from) }, (_, i) => create(from + i)));
  await catalog.close();
}

async function createLarge(api: ApiClient): Promise<CrawlId> {
  const none = { pages: 'none', bytes: 'none', duration: 'none', depth: 'none' };
  const { id } = await api.createCrawl({
    body: {
      job: {
        name: largeCrawl,
        seeds: ['http://h0.site0.example/page-0'],
        contact: 'mailto:console@webfarer.test',
        scope: { stay: 'web' },
        limits: { ...none, perHost: { pages: 'none' }, perSite: { pages: 'none' } },
      },
      tags: [],
    },
  });
  return id as CrawlId;
}

async function offerMany(frontier: Frontier, crawl: CrawlId, known: number): Promise<void> {
  const hosts = Math.max(40, Math.round(known / 100));
  const offerOf = (n: number): Offer => ({
    url: `http://h${n % hosts}.site${Math.floor((n % hosts) / 4)}.example/section-${n % 17}/page-${n}` as Url,
    kind: 'page',
    depth: 1 + (n % 8),
    cost: 0,
    hops: 0,
  });
  // The seed is known already.
  for (let n = 1; n < known; n += perCall) {
    const count = Math.min(perCall, known - n);
    await frontier.offer(
      crawl,
      Array.from({ length: count }, (_, i) => offerOf(n + i)),
    );
  }
}

/** Every page has brought an item. */
function withItem(entry: Entry): Settlement {
  const settled = settlementOf(entry) as Settlement & { kind: 'outcome' };
  if (settled.record.verdict !== 'done') return settled;
  const item = { title: settled.record.title, price: Number(/\d+$/.exec(entry.url)?.[0]) % 97 };
  return { ...settled, record: { ...settled.record, items: 1 }, items: [item] };
}

/**
 * Brings some URLs to their end twice a second, beside the workers that only hold hosts. No coordinator hears of it, so what hosts
 * do is recorded here.
 */
function feed(frontier: RedisFrontier, crawl: CrawlId): { stop(): Promise<void> } {
  const sampler = createHostSampler({ crawl, history: frontier.hostHistory, frontier, claim: undefined });
  let isOver = false;
  const running = (async () => {
    while (!isOver) {
      const { leases } = await frontier.lease({ worker: feeder, hosts: 20, urlsPerHost: 2, crawls: [crawl] });
      const reports = leases.map(({ id, crawl: of, host, fence, part, entries }) => ({
        id,
        crawl: of,
        host,
        fence,
        part,
        settled: entries.map(withItem),
        offers: [],
        news: { endedAgoMs: 0, gapMs: 0, why: 'gap' as const, health: 'ok' as const },
        close: true,
      }));
      if (reports.length > 0) await frontier.report(reports as Parameters<Frontier['report']>[0]);
      for (const report of reports) sampler.saw(report);
      await sampler.sample({ last: false, over: false });
      await new Promise((done) => setTimeout(done, feedEveryMs));
    }
  })().catch((error: unknown) => console.error('  nothing more to watch:', error));
  return {
    async stop() {
      isOver = true;
      await running;
    },
  };
}
