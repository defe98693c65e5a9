import type { Balance } from '@webfarer/protocol';
import type { ApiClient } from '@webfarer/protocol/api';
import type { LogEntry } from '../fake-web/request-log.ts';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import type { ExpectOptions } from '../fake-web/universe.ts';
import type { CoordinatorProcess } from '../network/launcher.ts';
import { briskJob, until } from '../prove/lab.ts';
import { startRedis } from '../redis/servers.ts';
import { furnish, openCoordinators, untilHostsRecorded } from './coordinators.ts';

/** Three coordinators on a Redis cluster behind one address, with workers that crawl a fake web. */
export interface ClusterWorld {
  readonly url: string;
  readonly token: string;
  readonly fake: FakeWeb;
  /** What a faultless crawl makes of the web. */
  readonly expect: ExpectOptions;
  /** Before the crawl began. */
  readonly robotsRead: readonly LogEntry[];
  readonly coordinators: readonly CoordinatorProcess[];
  /** A URL of the crawl that has an outcome. */
  readonly firstUrl: string;
  /** In the list. */
  readonly crawls: number;
  apiAt(n: number): ApiClient;
  /** Of the crawl, as the n-th coordinator has it. */
  balance(n: number): Promise<Balance>;
  stop(): Promise<void>;
}

export const clusterCrawl = 'whole-web';
/** Is over, and has an earlier one of the same seeds. */
export const comparedCrawl = 'a-few-pages-again';
/** Enough for every list to have something in it. */
const firstPages = 60;

export async function openClusterWorld(options: {
  under: string;
  web: 'S' | 'M';
  gapMs: number;
  workers: number;
}): Promise<ClusterWorld> {
  const { under, web, gapMs, workers } = options;
  const ends: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const end of ends.reverse()) await end();
  };
  try {
    const fake = await startFakeWeb({ size: web, seed: 1 });
    ends.push(fake.stop);
    const redis = await startRedis({ primaries: 3, settings: { appendfsync: 'everysec' } });
    ends.push(redis.stop);
    const {
      url,
      token,
      all,
      apiAt,
      stop: end,
    } = await openCoordinators({ under, store: redis.url, workers });
    ends.push(end);
    const { job, expect } = briskJob(fake);
    const api = apiAt(0);
    await furnish(api);
    const create = (name: string, changes: Record<string, unknown>) =>
      api.createCrawl({ body: { job: { ...job, name, ...changes }, tags: [] } });
    for (const crawl of ['a-few-pages', comparedCrawl]) {
      await create(crawl, { limits: { ...job.limits, pages: 20 } });
      const isOver = async () => (await api.getCrawl({ params: { crawl } })).state === 'limited';
      await until('a few pages', isOver, 120_000);
    }
    // What workers know of robots.txt they do not read again for another crawl.
    const robotsRead = (await fake.log()).filter(({ path }) => path === '/robots.txt');
    await fake.reset();
    await create(clusterCrawl, {
      politeness: { ...job.politeness, gap: `${gapMs}ms` },
      extract: [{ fields: { title: { page: 'title' }, heading: 'h1' } }],
    });
    const balance = async (n: number): Promise<Balance> => {
      const { progress } = await apiAt(n).getCrawl({ params: { crawl: clusterCrawl } });
      return progress?.balance ?? { known: 0, queued: 0, leased: 0, done: 0, failed: 0, refused: 0 };
    };
    await until('the crawl to begin', async () => (await balance(0)).done >= firstPages, 120_000);
    await untilHostsRecorded(api, clusterCrawl);
    return {
      url,
      token,
      fake,
      expect,
      robotsRead,
      coordinators: all,
      firstUrl: fake.web.seeds()[0] ?? '',
      // One that waits for an account is in the list too.
      crawls: 4,
      apiAt,
      balance,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
