import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openServer } from '@webfarer/coordinator/server';
import type { CrawlId, CrawlState } from '@webfarer/protocol';
import { type ApiClient, createClient } from '@webfarer/protocol/api';
import type { Catalog } from '../../packages/coordinator/src/catalog/catalog.ts';
import { openRedisCatalog } from '../../packages/coordinator/src/catalog/redis-catalog.ts';
import { openSqliteCatalog } from '../../packages/coordinator/src/catalog/sqlite-catalog.ts';
import { openStore } from '../../packages/coordinator/src/redis/store.ts';
import { systemClock } from '../../packages/protocol/src/index.ts';
import { workFolder } from '../../test/prove/lab.ts';
import { startRedis } from '../../test/redis/servers.ts';
import { ratioOf } from '../broad/statistics.ts';
import { mainThreadCpuMs } from '../process-cpu.ts';

export interface ListFigure {
  items: number;
  pages: number;
  /** In the middle of the rounds: the whole list page by page, and the slowest of its pages. */
  wholeMs: number;
  slowestPageMs: number;
  /** CPU of those who ask and answer, one after the other, for the whole list: how long it takes on a free machine. */
  busyMs: number;
  /** Exactly the crawls that were created so, each once. */
  right: boolean;
}

interface Made {
  name: string;
  state: CrawlState;
  tags: string[];
}

const nowMs = 1_800_000_000_000;
const states = ['finished', 'finished', 'finished', 'limited', 'stopped'] as const;
const most = 1_000;

/** Questions as people ask them; `fits` is the right answer. */
const questions: Record<
  string,
  { query: { tag?: string[]; state?: CrawlState[]; limit: number }; fits: (crawl: Made) => boolean }
> = {
  all: { query: { limit: most }, fits: () => true },
  allInSmallPages: { query: { limit: 100 }, fits: () => true },
  byState: { query: { state: ['limited'], limit: most }, fits: ({ state }) => state === 'limited' },
  byTag: { query: { tag: ['weekly'], limit: most }, fits: ({ tags }) => tags.includes('weekly') },
  byRareTag: { query: { tag: ['customer-7'], limit: most }, fits: ({ tags }) => tags.includes('customer-7') },
  byTagsAndState: {
    query: { tag: ['weekly', 'customer-10'], state: ['finished'], limit: most },
    fits: ({ tags, state }) =>
      tags.includes('weekly') && tags.includes('customer-10') && state === 'finished',
  },
};

/** Lists over HTTP, from a coordinator with this many crawls in its catalog. */
export async function crawlLists(
  { crawls, rounds }: { crawls: number; rounds: number },
  kind: 'sqlite' | 'redis',
): Promise<Record<string, ListFigure>> {
  const work = workFolder(`api-list-${kind}`);
  const redis = kind === 'redis' ? await startRedis({ settings: { appendonly: 'no' } }) : undefined;
  const folder = work.path;
  const made = await fill(crawls, redis?.url, folder);
  const server = await openServer({
    folder,
    version: '0',
    listen: { host: '127.0.0.1', port: 0 },
    advertise: undefined,
    expectsWorker: false,
  });
  try {
    await server.host(redis ? { store: { url: redis.url, durability: 'available', insecure: false } } : {});
    await server.ready();
    const token = readFileSync(join(folder, 'operator.token'), 'utf8').trim();
    const client = createClient({ url: server.url, token, fetch });
    const figures: Record<string, ListFigure> = {};
    for (const [name, { query, fits }] of Object.entries(questions)) {
      const right = made.filter(fits).map((crawl) => crawl.name);
      figures[name] = await ask(client, query, { rounds, right, storePid: redis?.nodes[0]?.pid });
      console.error(`  ${kind} ${name} ${JSON.stringify(figures[name])}`);
    }
    return figures;
  } finally {
    await server.stop();
    await redis?.stop();
    work.remove();
  }
}

async function ask(
  client: ApiClient,
  query: { tag?: string[]; state?: CrawlState[]; limit: number },
  { rounds, right, storePid }: { rounds: number; right: string[]; storePid: number | undefined },
): Promise<ListFigure> {
  const [whole, slowest, busy]: [number[], number[], number[]] = [[], [], []];
  const storeCpuMs = () => (storePid === undefined ? 0 : mainThreadCpuMs(storePid));
  const sorted = right.toSorted().join('\n');
  let [pages, isRight] = [0, true];
  for (let round = 0; round < rounds; round++) {
    const names: string[] = [];
    const startedMs = performance.now();
    const usedMs = ownCpuMs() + storeCpuMs();
    [pages, slowest[round]] = [0, 0];
    for (let after: string | undefined = ''; after !== undefined; pages++) {
      const askedMs = performance.now();
      const page: { items: { name: string }[]; next?: string | undefined } = await client.listCrawls({
        query: { ...query, after },
      });
      slowest[round] = Math.max(slowest[round] ?? 0, performance.now() - askedMs);
      names.push(...page.items.map(({ name }) => name));
      after = page.next;
    }
    whole.push(performance.now() - startedMs);
    busy.push(ownCpuMs() + storeCpuMs() - usedMs);
    isRight &&= names.toSorted().join('\n') === sorted;
  }
  const middle = (values: number[]) => Math.round(ratioOf(values).median ?? 0);
  return {
    items: right.length,
    pages,
    wholeMs: middle(whole),
    slowestPageMs: middle(slowest),
    busyMs: middle(busy),
    right: isRight,
  };
}

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Crawls that are over: their coordinator need not open them. */
async function fill(crawls: number, url: string | undefined, folder: string): Promise<Made[]> {
  const store = url === undefined ? undefined : await openStore({ url, replicas: 0, clock: systemClock() });
  const catalog = store
    ? await openRedisCatalog(store, { nowMs })
    : openSqliteCatalog(join(folder, 'catalog.db'));
  const made = Array.from({ length: crawls }, (_, n) => describe(n));
  for (let from = 0; from < made.length; from += 500)
    await Promise.all(made.slice(from, from + 500).map((crawl) => create(catalog, crawl)));
  await catalog.close();
  await store?.close();
  return made;
}

function describe(n: number): Made {
  const tags = [...(n % 2 === 0 ? ['weekly'] : []), `customer-${n % 100}`];
  return { name: `crawl-${n}`, state: states[n % states.length] ?? 'finished', tags };
}

async function create(catalog: Catalog, { name, state, tags }: Made): Promise<void> {
  const seeds = Array.from({ length: 5 }, (_, n) => `https://${name}-${n}.example/`);
  const exclude = Array.from({ length: 10 }, (_, n) => ({
    regex: `^https://${name}-${n}\\.example/private/`,
  }));
  await catalog.create({
    id: name as CrawlId,
    name,
    nonce: `nonce-${name}`,
    createdAtMs: nowMs,
    job: {
      name,
      seeds,
      scope: { stay: 'site', exclude },
      limits: { pages: 100_000 },
      politeness: { gap: '2s' },
    },
    seeds,
    tags,
    wanted: state,
    durability: 'available',
    ownCode: false,
  });
}
